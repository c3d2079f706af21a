import type { Purpose } from "./purpose.ts";

/** A code that is to be sent now, once. */
export interface OutgoingCode {
  /** The number in E.164. */
  readonly phone: string;
  /** The code: digits. */
  readonly code: string;
  /** The channels, in the order in which they are to be tried. */
  readonly channels: readonly string[];
  /** The language of the page (BCP 47), such as `pt-BR`; `undefined` if the page has not named any. */
  readonly language: string | undefined;
  readonly purpose: Purpose;
  readonly loginId: string;
  /** The number of this send in the login, counted from 1. With `loginId` it is your idempotency key. */
  readonly sendNumber: number;
}

/** A code that the service or the app has accepted, under the id with which the service's webhooks report its delivery. */
export interface AcceptedCode {
  readonly verificationId?: string | undefined;
  readonly messageId?: string | undefined;
}

/**
 * Sends a code, once.
 *
 * @throws DoorcodeError with `outcome` "refused" when the code was surely not sent.
 */
export type SendOutgoingCode = (outgoing: OutgoingCode) => Promise<AcceptedCode>;
