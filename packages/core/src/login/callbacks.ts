import type { Awaitable } from "../util/awaitable.ts";
import { CallbackMistake, callApp, callAppInTime } from "../util/call-app.ts";
import type { Clock } from "../util/clock.ts";
import type { BeforeSendAnswer, BeforeSendContext } from "./before-send.ts";
import type { LoginTransaction } from "./transaction.ts";

/** A phone number that a right code has just proven, for the app's callbacks. */
export interface ProvenPhone {
  /** The number in E.164. */
  readonly phone: string;
  /** The login's id. It stays the same when a login is finished again after a failure: use it as your idempotency key. */
  readonly loginId: string;
}

/** A phone number that a right code has just proven, and what the kit knows of its past. */
export interface LoginProof extends ProvenPhone {
  /**
   * When the number was last proven before, in any browser, as Unix milliseconds; `undefined` if the kit remembers no proof: never,
   * more than 400 days ago, or under an earlier password.
   */
  readonly lastProvenAt: number | undefined;
  /** True if this browser has proven the number within the last 180 days, and is one of the eight that did so last. */
  readonly knownDevice: boolean;
}

/** The proof of a number that is added to an account. */
export interface LinkProof extends ProvenPhone {
  /** The account that is logged in. */
  readonly userId: string;
  /** The number that the account had until now, as `phoneOf` returned it: tell it of the change. `undefined` if it had no other one. */
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

/** The app's answers to a proven phone number. */
export interface LoginCallbacks {
  /** Finds or creates the user of a number and returns the user's id; `undefined` or `null` refuses the login. */
  onLogin?(proof: LoginProof, context: CallbackContext): Awaitable<string | null | undefined>;
  /**
   * Decides about a login from a new device to a number that was not proven for `suspicionAfterSeconds`, or of which the kit
   * remembers no proof: it may have a new owner. Called before `onLogin`; true lets the login pass, false refuses it. Default: all
   * pass.
   */
  onSuspicion?(proof: LoginProof, context: CallbackContext): Awaitable<boolean>;
  /** Adds a number to the account that is logged in and returns that account's id; `undefined` or `null` refuses. */
  onLink?(proof: LinkProof, context: CallbackContext): Awaitable<string | null | undefined>;
  /**
   * Removes a number from the account that is logged in, or keeps it. With it, the mount of a `link` also answers POST `/remove`. The kit
   * calls it for one number of a user at a time.
   */
  onRemove?(number: RemovedNumber, context: CallbackContext): Awaitable<RemovalAnswer>;
  /**
   * Returns the number of a user, which a step-up proves again and a link replaces; `undefined` or `null` if there is none. An account
   * without a number gets one without a proof of an old one. It has ten seconds.
   */
  phoneOf?(userId: string): Awaitable<string | null | undefined>;
  /** Decides about each code before it is sent: see {@link BeforeSendAnswer}. `undefined` or `null` allows it. */
  beforeSend?(context: BeforeSendContext): Awaitable<BeforeSendAnswer | null | undefined>;
}

/** What the kit needs to ask the app. */
interface CallbackDeps {
  readonly callbacks: LoginCallbacks;
  readonly suspicionAfterSeconds: number;
}

/**
 * Asks the app for the user of a login whose code was right. Returns `undefined` when the app refuses.
 *
 * @throws CallbackMistake for anything that is no user id, or another user's id in `onLink`
 */
export async function askApp(
  deps: CallbackDeps,
  transaction: LoginTransaction,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { purpose, session } = transaction;
  if (purpose === "login") return askForUser(deps, transaction, signal);
  if (purpose === "step_up" || !session) return session?.userId;
  const { phone, loginId, oldPhone } = transaction;
  const link = { phone, loginId, userId: session.userId, oldPhone };
  const userId = userIdOf("onLink", await callApp("login.onLink", () => deps.callbacks.onLink?.(link, { signal })));
  if (userId === undefined || userId === session.userId) return userId;
  throw new CallbackMistake("login.onLink must return the id of the user that it was given, or undefined to refuse.");
}

async function askForUser(
  { callbacks, suspicionAfterSeconds }: CallbackDeps,
  { phone, loginId, createdAt, counted }: LoginTransaction,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Both are of the start. If the number was proven since, that login has superseded this one.
  const { lastProvenAt, knownDevice } = counted ?? {};
  const proof = { phone, loginId, lastProvenAt, knownDevice: knownDevice !== undefined };
  const isSilent = lastProvenAt === undefined || createdAt - lastProvenAt >= suspicionAfterSeconds * 1000;
  if (callbacks.onSuspicion && isSilent && !proof.knownDevice) {
    const passes = await callApp("login.onSuspicion", () => callbacks.onSuspicion?.(proof, { signal }));
    if (passes === false) return undefined;
    if (passes !== true) throw new CallbackMistake("login.onSuspicion must return true, or false to refuse.");
    // A login that was given up meanwhile must not go on.
    signal.throwIfAborted();
  }
  return userIdOf("onLogin", await callApp("login.onLogin", () => callbacks.onLogin?.(proof, { signal })));
}

/** Asks the app for the number of a user. */
export function askPhoneOf(
  { callbacks, clock }: { readonly callbacks: LoginCallbacks; readonly clock: Clock },
  userId: string,
): Promise<string | null | undefined> {
  return callAppInTime("login.phoneOf", clock, () => callbacks.phoneOf?.(userId));
}

function userIdOf(callback: string, answer: unknown): string | undefined {
  if (answer === undefined || answer === null) return undefined;
  if (typeof answer === "string" && answer !== "") return answer;
  throw new CallbackMistake(`login.${callback} must return the user's id as a string, or undefined to refuse.`);
}
