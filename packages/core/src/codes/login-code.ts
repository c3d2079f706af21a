import type { Purpose } from "./purpose.ts";

/** The code of a login that is under way: all that the owner of the codes knows of a login. */
export interface LoginCode {
  /** The idempotency key of this login. It gives access to nothing. */
  readonly loginId: string;
  readonly purpose: Purpose;
  /** The number in E.164. */
  readonly phone: string;
  /** The number of the newest send, counted from 1. */
  readonly sends: number;
  /** The number of the newest code, counted from 1. Several sends may carry one code. */
  readonly codeNumber: number;
  /** The name of the key from which the codes of the app are derived. */
  readonly codeKey: string;
  /** The random seed of the app's codes. Without it, a leaked password would be enough to compute them. */
  readonly codeSeed: string;
  /** The number of digits of its codes, if the kit chose it: the more wrong codes the number had, the more digits. */
  readonly codeLength?: number | undefined;
  /** The service's id of the newest send's verification. */
  readonly verificationId?: string | undefined;
  /** The language of the page that started it, for the texts of the app. */
  readonly language?: string | undefined;
  /** True once the app has suppressed a code of this login: no code is right then. Only the store knows of it. */
  readonly isSuppressed?: boolean | undefined;
}

/** The longest life of a code, from its first send until the login is finished: NIST SP 800-63B-4, section 3.1.3.2. */
export const maxCodeSeconds = 600;
