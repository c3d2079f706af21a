import type { Channel } from "./message.ts";

/** A status of a verification; all but `PENDING` are final. */
export type VerificationStatus = "PENDING" | "APPROVED" | "EXPIRED" | "FAILED";

/** What became of a confirmation. */
export type ConfirmationOutcome = "approved" | "wrong" | "over" | "exhausted" | "custom_otp";

/** A confirmation, at its ISO instant. */
export interface Confirmation {
  readonly at: string;
  readonly outcome: ConfirmationOutcome;
}

/** The sending of a code to one recipient over one channel after another, and its confirmation. */
export interface Verification {
  /** In the dialect that knows no other id, the request's. */
  readonly id: string;
  readonly applicationId: string;
  readonly requestId: string;
  readonly recipient: string;
  readonly text: string;
  readonly code: string;
  /** The caller supplied the code and validates it: nothing to confirm or to expire here. */
  readonly customOtp: boolean;
  /** In the order in which they are tried. */
  readonly channels: readonly Channel[];
  /** The message of each channel that was tried; the last is the one being tried. */
  readonly messageIds: readonly string[];
  readonly status: VerificationStatus;
  /** Wrong codes so far. */
  readonly wrongCodes: number;
  /** What was made of confirmations, the first hundred. */
  readonly confirmations: readonly Confirmation[];
  readonly createdAt: string;
  readonly expiresAtMilliseconds: number;
  /** ISO instant of the last event, which no later event shares. */
  readonly updatedAt: string;
  /** ISO instant at which it ended. */
  readonly concludedAt: string | undefined;
}
