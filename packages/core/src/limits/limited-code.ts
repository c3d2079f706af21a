import type { ClientAddress } from "../util/client-address.ts";
import type { DoorcodeError } from "../util/errors.ts";
import type { CountedLogin } from "./counted-login.ts";
import type { CeilingKind } from "./counter.ts";
import type { GroupKind } from "./groups.ts";

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

/** A login that had a code before. */
export interface LoginWithCode {
  readonly counted: CountedLogin;
  /** The codes that it had. */
  readonly sends: number;
  /** The client that asks for another one. */
  readonly client: ClientAddress;
}

/** What is kept when a code is taken back: nothing, or the count of the client's address and network. */
export type Kept = "nothing" | "client";

/** A counter that decides about a code. */
export interface LimitCount {
  /** The codes of today for the number, or the unconfirmed logins of a group; this one is included. */
  readonly limit: GroupKind | CeilingKind | "number";
  /** The count and what it may be; left out for a group that is closed. */
  readonly count?: number;
  readonly threshold?: number;
}

/** A decision about one code, for `onEvent`. It holds no number and no address. */
export interface SendDecision {
  readonly type: "login.send_decided";
  /**
   * `would_refuse` was let pass by a limit that observes. `trusted`, `challenged` and `suppressed` are answers of the app's
   * `beforeSend`: the code was sent against a limit, asked for a challenge, or was not sent without saying so.
   */
  readonly outcome: "allowed" | "refused" | "would_refuse" | "trusted" | "challenged" | "suppressed";
  readonly country: string;
  /** What refused, or would have refused; `app` for the app's `beforeSend`. */
  readonly limit?: LimitCount["limit"] | "app";
  /** The count that was compared, and what it may be, to a tenth; both are left out for what was closed before. */
  readonly count?: number;
  readonly threshold?: number;
  /** True while the country has far more unconfirmed logins than its past explains. */
  readonly onAlert: boolean;
  /** True while the app as a whole has. That refuses nothing by itself. */
  readonly appOnAlert: boolean;
  /** True for a number that was proven a day ago or longer. */
  readonly knownNumber: boolean;
  /** True for a device that has proven the number. */
  readonly knownDevice: boolean;
}

/** A code that may be sent. */
export interface AllowedCode {
  /** The decision, which the caller publishes. */
  readonly decision: SendDecision;
  /** The counts of the number and of the groups, and what they may be. */
  readonly counters: readonly LimitCount[];
  /** The login, with this code. */
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
export interface RefusedCode extends Pick<AllowedCode, "decision" | "counters"> {
  readonly refusedBy: LimitCount;
  readonly refusal: DoorcodeError;
  /** Takes back what the code has added to the counters, and closes the group that it was too much for. */
  undo(kept?: Kept): Promise<void>;
  /** The login without the refusal, for an app that trusts it. Only a group can be passed, never a budget of the number. */
  readonly trusted?: AllowedCode;
}
