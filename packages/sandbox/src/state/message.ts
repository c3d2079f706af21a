/** The channels of Verify. Messaging supports `SMS` only. */
export const channels = ["SMS", "WHATSAPP", "VIBER", "TELEGRAM", "VOICE"] as const;

/** A channel: one of {@link channels} or, in the dialect `channelNames: "any"`, any other name. */
export type Channel = (typeof channels)[number] | (string & {});

/** A status of a message. `FAILED` and `DELIVERED` are final. Only the dialect `messageStatuses: "five"` has `BUFFERED`. */
export type MessageStatus = "QUEUED" | "BUFFERED" | "SENT" | "FAILED" | "DELIVERED";

/** The outcome that the simulation has chosen for a message. */
export interface PlannedOutcome {
  /** The final status; undefined when the message stays `SENT`. */
  readonly status: "DELIVERED" | "FAILED" | undefined;
  /** True when the outcome comes after the delay `slowOutcomeSeconds`. */
  readonly slow: boolean;
}

/** A status of a message, and its ISO instant on the application's clock. */
export interface MessageStep {
  readonly status: MessageStatus;
  readonly at: string;
}

/** One text to one recipient over one channel: of `POST /messages`, or a channel attempt of a verification. */
export interface Message {
  /** The `message_id`. */
  readonly id: string;
  readonly applicationId: string;
  /** The `request_id` of the API call. */
  readonly requestId: string;
  /** The destination of the message's events; undefined for the endpoints of the application. */
  readonly callbackUrl: string | undefined;
  /** Set when the message carries the code of a verification. */
  readonly verificationId: string | undefined;
  /** E.164: the recipient. */
  readonly to: string;
  readonly channel: Channel;
  /** A sender ID or a rented number; undefined for a verification. */
  readonly sender: string | undefined;
  /** The complete text. */
  readonly text: string;
  /** The code: of a verification, or of the last line of a text that binds it to a host. Undefined for any other message. */
  readonly code: string | undefined;
  /** Number of SMS segments; 1 on any other channel. */
  readonly segments: number;
  /** The outcome that follows after the message was sent. */
  readonly plannedOutcome: PlannedOutcome;
  /** Set when the message was deleted from the inbox. The service still processes it. */
  readonly deleted?: true;
  /** The statuses so far, never empty. The last one is the current status. */
  readonly timeline: readonly [MessageStep, ...MessageStep[]];
}

/** Tells whether a message is in the inbox, which means that it was not deleted there. */
export function isInInbox({ deleted }: Message): boolean {
  return !deleted;
}

/** Returns the current status of a message and its instant. */
export function lastStep(message: Message): MessageStep {
  return message.timeline.at(-1) ?? message.timeline[0];
}
