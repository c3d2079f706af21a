import type { Channel } from "./message.ts";

/** A status of a verification; all but `PENDING` are final. */
export type VerificationStatus = "PENDING" | "APPROVED" | "EXPIRED" | "FAILED";

/** The sending of a code to one recipient over one channel after another, and its confirmation. */
export interface Verification {
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
  readonly expiresAtMilliseconds: number;
  /** ISO instant of the last event, which no later event shares. */
  readonly updatedAt: string;
}
