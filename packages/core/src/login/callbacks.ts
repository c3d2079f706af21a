import type { Purpose } from "../codes/code-strategy.ts";
import type { LimitCount, SendDecision } from "../limits/decision.ts";
import type { Awaitable } from "../util/call-app.ts";
import type { ClientAddress } from "../util/client.ts";

/** A phone number that a right code has just proven, for the app's callbacks. */
export interface ProvenPhone {
  /** The number in E.164. */
  readonly phone: string;
  /** The login's id, your idempotency key: it stays the same when a login is finished again after a failure. */
  readonly loginId: string;
}

/** A phone number that a right code has just proven, and what the kit knows of its past. */
export interface LoginProof extends ProvenPhone {
  /**
   * When the number was last proven before, in any browser, as Unix milliseconds; `undefined` if the kit remembers no
   * proof: never, more than 400 days ago, or under an earlier password.
   */
  readonly lastProvenAt: number | undefined;
  /** True if this browser has proven the number within the last 180 days, and is one of the eight that did so last. */
  readonly knownDevice: boolean;
}

/** The proof of a number that is added to an account. */
export interface LinkProof extends ProvenPhone {
  /** The account that is logged in. */
  readonly userId: string;
  /** The number that the account had until now: tell it of the change. `undefined` if it had no other one. */
  readonly oldPhone: string | undefined;
}

/** A number that a user wants to remove from their account. */
export interface RemovedNumber {
  /** The account that is logged in. */
  readonly userId: string;
  /** The number in E.164. It may belong to somebody else. */
  readonly phone: string;
}

/** The answer of `onRemove`. */
export type RemovalAnswer =
  /** The user had this number, and has it no more. */
  | "removed"
  /** The user has this number, and keeps it: without it there is no way to log in. */
  | "last_way_in"
  /** The user has no such number, or has it no more. */
  | "unknown";

/** The second argument of a login callback. */
export interface CallbackContext {
  /** Aborts when the kit gives the login up, after 10 seconds at the latest. */
  readonly signal: AbortSignal;
}

/** A code that is about to be sent, as `login.beforeSend` sees it. */
export interface BeforeSendContext
  extends Pick<SendDecision, "country" | "knownNumber" | "knownDevice" | "onAlert" | "appOnAlert"> {
  readonly loginId: string;
  readonly purpose: Purpose;
  /** The user who adds a number or proves it again; `undefined` for a login. */
  readonly userId: string | undefined;
  /** The number in E.164. */
  readonly phone: string;
  /** The type in the numbering plan, such as `MOBILE`. */
  readonly numberType: string | undefined;
  /** True for another code of the same login. */
  readonly resend: boolean;
  /** The channels, in the order in which they will be tried. */
  readonly channels: readonly string[];
  /** The client's address and its network, by the framework's own proxy rules. */
  readonly client: ClientAddress;
  /** The counters that decide, this code included. The first resend of a login adds nothing to its groups. */
  readonly counters: readonly LimitCount[];
  /** The limit of a group that refuses this code, unless the answer is `{ trust: … }`. */
  readonly refusedBy: LimitCount | undefined;
  /** The member `challenge` of the request: the token of a solved challenge, which you verify. */
  readonly challenge: string | undefined;
  /** The return value of the mount's option `signals`. */
  readonly signals: unknown;
  /** Aborts when the kit gives the answer up, after 3 seconds. */
  readonly signal: AbortSignal;
}

/**
 * The answer of `login.beforeSend`.
 *
 * - `allow`: send the code, if the limits allow it.
 * - `challenge`: refuse with `challenge_required`. The page asks again with a `challenge`.
 * - `suppress`: send nothing, and answer as for a code that was sent.
 * - `deny`: refuse with `send_denied`.
 * - `{ trust }`: the same as `allow` or `suppress`, also against the limit in `refusedBy`, because a challenge was solved.
 */
export type BeforeSendAnswer = "allow" | "challenge" | "suppress" | "deny" | { readonly trust: "allow" | "suppress" };

/** The app's answers to a proven phone number. */
export interface LoginCallbacks {
  /** Finds or creates the user of a number and returns the user's id; `undefined` or `null` refuses the login. */
  onLogin?(proof: LoginProof, context: CallbackContext): Awaitable<string | null | undefined>;
  /**
   * Decides about a login from a new device to a number that was not proven for `suspicionAfterSeconds`, or of which the kit remembers no
   * proof: it may have a new owner. Called before `onLogin`; true lets the login pass, false refuses it. Default: all pass.
   */
  onSuspicion?(proof: LoginProof, context: CallbackContext): Awaitable<boolean>;
  /** Adds a number to the account that is logged in and returns that account's id; `undefined` or `null` refuses. */
  onLink?(proof: LinkProof, context: CallbackContext): Awaitable<string | null | undefined>;
  /**
   * Removes a number from the account that is logged in, or keeps it. With it, the mount of a `link` also answers POST
   * `/remove`. The kit calls it for one number of a user at a time.
   */
  onRemove?(number: RemovedNumber, context: CallbackContext): Awaitable<RemovalAnswer>;
  /**
   * Returns the number of a user, which a step-up proves again and a link replaces; `undefined` or `null` if there is
   * none. An account without a number gets one without a proof of an old one. It has ten seconds.
   */
  phoneOf?(userId: string): Awaitable<string | null | undefined>;
  /** Decides about each code before it is sent: see {@link BeforeSendAnswer}. `undefined` or `null` allows it. */
  beforeSend?(context: BeforeSendContext): Awaitable<BeforeSendAnswer | null | undefined>;
}
