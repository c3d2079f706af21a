import type { Channel } from "./message.ts";

/** A status of a verification. All except `PENDING` are final. */
export type VerificationStatus = "PENDING" | "APPROVED" | "EXPIRED" | "FAILED";

/** The result of a confirmation. `expired`: the code has expired, was used, or its verification has ended. */
export type ConfirmationOutcome = "approved" | "wrong" | "expired" | "exhausted" | "custom_otp";

/** A confirmation, and its ISO instant on the application's clock. */
export interface Confirmation {
  readonly at: string;
  readonly outcome: ConfirmationOutcome;
}

/**
 * A verification: a code is sent to one recipient (E.164) over one channel after another, and then confirmed. Its instants
 * are on the application's clock.
 */
export interface Verification {
  /** The `verification_id`. In the dialect `verificationId: "request_id"` it is the `request_id`. */
  readonly id: string;
  readonly applicationId: string;
  /** The `request_id` of the API call. */
  readonly requestId: string;
  /** The destination of the verification's events; undefined for the endpoints of the application. */
  readonly callbackUrl: string | undefined;
  readonly recipient: string;
  /** The complete text with the code in it. */
  readonly text: string;
  readonly code: string;
  /** True when the caller supplied the code. The caller also checks it: it cannot be confirmed here and never expires. */
  readonly customOtp: boolean;
  /** The channels in the order in which they are tried. */
  readonly channels: readonly Channel[];
  /** The messages of the channels tried so far. The last one is the current channel attempt. */
  readonly messageIds: readonly string[];
  readonly status: VerificationStatus;
  /** Number of wrong codes so far. */
  readonly wrongCodes: number;
  /** The first 100 confirmations, the oldest first. */
  readonly confirmations: readonly Confirmation[];
  readonly createdAt: string;
  readonly expiresAtMilliseconds: number;
  /** ISO instant of the last event. No two events of a verification share an instant. */
  readonly updatedAt: string;
  /** ISO instant of the end; undefined while the verification is pending. */
  readonly concludedAt: string | undefined;
}
