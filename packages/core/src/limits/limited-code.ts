import type { ClientAddress } from "../util/client-address.ts";
import type { DoorcodeError } from "../util/errors.ts";
import type { CountedLogin } from "./counted-login.ts";
import type { LimitCount, SendDecision } from "./send-decision.ts";

/** A login whose code is to be sent. */
export interface LimitedLogin {
  /** The number in E.164. */
  readonly phone: string;
  /** The ISO 3166 code of the number's country. */
  readonly country: string;
  readonly client: ClientAddress;
  /** The digest of the id in the device's cookie. */
  readonly device?: string | undefined;
  /**
   * True if the app's `beforeSend` decides too. Then the number's budgets are only looked at, and `reserveNumber` reserves them; and
   * groups refuse known numbers like others.
   */
  readonly isTentative?: boolean;
}

/** What is kept when a code is taken back: nothing, or the count of the client's address and network. */
export type Kept = "nothing" | "client";

/** What the limits say about a code. */
export interface LimitedCode {
  /** The decision, which the caller publishes. */
  readonly decision: SendDecision;
  /** The counters that have decided. */
  readonly counters: readonly LimitCount[];
}

/** A code that may be sent. */
export interface AllowedCode extends LimitedCode {
  readonly counted: CountedLogin;
  /**
   * The wrong codes in a row, of the device if it has proven the number, else of the number. They decide the length of a login's codes;
   * 0 for a code that is sent again, because its login has its length.
   */
  readonly failures: number;
  /** The time until another code may be sent to the number. */
  readonly cooldownSeconds: number;
  /** Takes everything back, or all but the client's count, because the code was surely not sent. */
  giveBack(kept?: Kept): Promise<void>;
}

/** A code that may not be sent. */
export interface RefusedCode extends LimitedCode {
  readonly refusedBy: LimitCount;
  readonly refusal: DoorcodeError;
  /** Takes back what the code has added to the counters, and closes the group that it was too much for. */
  undo(kept?: Kept): Promise<void>;
  /** The login without the refusal, for an app that trusts it. Only a group can be passed, never a budget of the number. */
  readonly trusted?: AllowedCode;
}
