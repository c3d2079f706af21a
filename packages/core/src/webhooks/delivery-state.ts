import type { MessageStatusEvent, VerificationEvent } from "./event.ts";

/** The delivery on one channel. */
export interface ChannelAttempt {
  /** The name of the channel, such as `SMS`. */
  readonly channel: string;
  /** The status of the newest message on the channel. */
  readonly status: string;
}

/** The delivery of a code according to the events of its verification or message, for the login page. */
export interface DeliveryState {
  /** The rank of the newest event: its instant as text that sorts by time. */
  readonly rank: string;
  /** The newest known status of the whole. */
  readonly status?: string | undefined;
  /** The newest channel that an event named. */
  readonly channel?: string | undefined;
  /** One attempt for each channel, in the order of their first events. */
  readonly attempts: readonly ChannelAttempt[];
}

/** The service has fewer channels. The limit keeps the record from growing. */
const maxAttempts = 16;

/** Returns the state after an event. An event that is older than the state changes nothing. */
export function withDelivery(
  state: DeliveryState | undefined,
  event: MessageStatusEvent | VerificationEvent,
): DeliveryState {
  if (state && event.rank < state.rank) return state;
  const { status, channel, ofChannel } = reportOf(event);
  return {
    rank: event.rank,
    status: status ?? state?.status,
    channel: channel ?? state?.channel,
    attempts: withAttempt(state?.attempts ?? [], channel, ofChannel),
  };
}

/** What an event reports: the status of the whole, a channel, and the status of the message on it. */
function reportOf(event: MessageStatusEvent | VerificationEvent) {
  const { status, channel } = event.data;
  // A message has one channel, and messaging supports only this one.
  if (event.kind === "message.status.update") return { status, channel: channel ?? "SMS", ofChannel: status };
  // A service without a field for the status of the channel reports it in `status`.
  return { status, channel, ofChannel: event.data.channel_status ?? status };
}

function withAttempt(
  attempts: readonly ChannelAttempt[],
  channel: string | undefined,
  status: string | undefined,
): readonly ChannelAttempt[] {
  if (channel === undefined || status === undefined) return attempts;
  const isKnown = attempts.some((attempt) => attempt.channel === channel);
  if (isKnown) return attempts.map((attempt) => (attempt.channel === channel ? { channel, status } : attempt));
  return [...attempts, { channel, status }].slice(-maxAttempts);
}
