/** The channels of Verify; Messaging supports `SMS` only. */
export const channels = ["SMS", "WHATSAPP", "VIBER", "TELEGRAM", "VOICE"] as const;

/** A channel. */
export type Channel = (typeof channels)[number];

/** A status of a message; `FAILED` and `DELIVERED` are final. */
export type MessageStatus = "QUEUED" | "SENT" | "FAILED" | "DELIVERED";

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
  /** Never empty; the last step is the status. */
  readonly timeline: readonly [MessageStep, ...MessageStep[]];
}

/** The last step of a message: its status, and since when. */
export function lastStep(message: Message): MessageStep {
  return message.timeline.at(-1) ?? message.timeline[0];
}
