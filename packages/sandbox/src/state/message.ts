/** The channels of Verify; Messaging supports `SMS` only. */
export const channels = ["SMS", "WHATSAPP", "VIBER", "TELEGRAM", "VOICE"] as const;

/** A channel: one of the five or, in a dialect that takes any name, another. */
export type Channel = (typeof channels)[number] | (string & {});

/** A status of a message; `FAILED` and `DELIVERED` are final. Only one dialect has `BUFFERED`. */
export type MessageStatus = "QUEUED" | "BUFFERED" | "SENT" | "FAILED" | "DELIVERED";

/** What becomes of a message once it is sent: its outcome, if any is ever reported, at once or long after. */
export interface Fate {
  readonly outcome: "DELIVERED" | "FAILED" | undefined;
  readonly slow: boolean;
}

/** An API call that was accepted, and where its events go. */
export interface ServiceRequest {
  readonly id: string;
  readonly applicationId: string;
  readonly callbackUrl: string | undefined;
}

/** A step of a message, at its ISO instant. */
export interface MessageStep {
  readonly status: MessageStatus;
  readonly at: string;
}

/** One text to one recipient over one channel: of `POST /messages`, or a channel attempt of a verification. */
export interface Message {
  readonly id: string;
  readonly applicationId: string;
  readonly requestId: string;
  /** Set when the message carries the code of a verification. */
  readonly verificationId: string | undefined;
  readonly to: string;
  readonly channel: Channel;
  readonly sender: string | undefined;
  readonly text: string;
  readonly code: string | undefined;
  /** Parts on the air for SMS, 1 on any other channel. */
  readonly segments: number;
  /** What becomes of it once it is sent. */
  readonly fate: Fate;
  /** Deleted from the inbox, which is the handset's: the service goes on with it all the same. */
  readonly deleted?: true;
  /** Never empty; the last step is the status. */
  readonly timeline: readonly [MessageStep, ...MessageStep[]];
}

/** Tells whether a message is in the inbox: it was not deleted there. */
export function isInInbox({ deleted }: Message): boolean {
  return !deleted;
}

/** The last step of a message: its status, and since when. */
export function lastStep(message: Message): MessageStep {
  return message.timeline.at(-1) ?? message.timeline[0];
}
