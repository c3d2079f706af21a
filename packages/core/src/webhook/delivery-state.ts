import { z } from "zod";
import type { VerificationEvent } from "./event.ts";

/** How far the newest message on one channel got. */
export interface ChannelAttempt {
  readonly channel: string;
  readonly status: string;
}

/** What the events of a verification told about its delivery, for the login page. */
export interface DeliveryState {
  /** The instant of the newest event, as text whose order is the order of instants. */
  readonly rank: string;
  /** The newest status told, of the verification as a whole. */
  readonly status?: string | undefined;
  /** The channel that the newest event was about. */
  readonly channel?: string | undefined;
  /** One per channel, in the order they were first told of. */
  readonly attempts: readonly ChannelAttempt[];
}

/** The shape of a {@link DeliveryState} at rest. */
export const deliveryState: z.ZodType<DeliveryState> = z.object({
  rank: z.string(),
  status: z.string().optional(),
  channel: z.string().optional(),
  attempts: z.array(z.object({ channel: z.string(), status: z.string() })),
});

/** More channels than the service has; beyond that the record does not grow. */
const maxAttempts = 16;

/** Adds what an event tells; one that is older than the state tells nothing. */
export function withDelivery(state: DeliveryState | undefined, event: VerificationEvent): DeliveryState {
  if (state && event.rank < state.rank) return state;
  const { status, channel, channel_status } = event.data;
  return {
    rank: event.rank,
    status: status ?? state?.status,
    channel: channel ?? state?.channel,
    // Where a service has no field of its own for the channel, the status told along with it is the channel's.
    attempts: withAttempt(state?.attempts ?? [], channel, channel_status ?? status),
  };
}

function withAttempt(
  attempts: readonly ChannelAttempt[],
  channel: string | undefined,
  status: string | undefined,
): readonly ChannelAttempt[] {
  if (channel === undefined || status === undefined) return attempts;
  const known = attempts.some((attempt) => attempt.channel === channel);
  if (known) return attempts.map((attempt) => (attempt.channel === channel ? { channel, status } : attempt));
  return [...attempts, { channel, status }].slice(-maxAttempts);
}
