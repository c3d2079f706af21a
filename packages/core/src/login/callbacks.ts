import type { Awaitable } from "../primitives/awaitable.ts";
import { callApp } from "../primitives/call-app.ts";
import type { BeforeSendAnswer, BeforeSendContext } from "./before-send.ts";
import type { LoginTransaction } from "./transaction.ts";

/** A phone number that a right code has just proven, for the app's callbacks. */
export interface ProvenPhone {
  /** The number in E.164. */
  readonly phone: string;
  /** The login's id. It stays the same when a login is finished again after a failure: use it as your idempotency key. */
  readonly loginId: string;
}

/** The second argument of a login callback. */
export interface CallbackContext {
  /** Aborts when the kit gives the login up, after 10 seconds at the latest. */
  readonly signal: AbortSignal;
}

/** The app's answers to a proven phone number. */
export interface LoginCallbacks {
  /** Finds or creates the user of a number and returns the user's id; `undefined` or `null` refuses the login. */
  onLogin?(proof: ProvenPhone, context: CallbackContext): Awaitable<string | null | undefined>;
  /** Adds a number to the account that is logged in and returns that account's id; `undefined` or `null` refuses. */
  onLink?(
    proof: ProvenPhone & { readonly userId: string },
    context: CallbackContext,
  ): Awaitable<string | null | undefined>;
  /** Returns the number that a logged-in user proves again in a step-up; `undefined` or `null` if there is none. */
  phoneOf?(userId: string): Awaitable<string | null | undefined>;
  /** Decides about each code before it is sent: see {@link BeforeSendAnswer}. `undefined` or `null` allows it. */
  beforeSend?(context: BeforeSendContext): Awaitable<BeforeSendAnswer | null | undefined>;
}

/**
 * Asks the app for the user of a login whose code was right. Returns `undefined` when the app refuses.
 *
 * @throws CallbackMistake for anything that is no user id, or another user's id in `onLink`
 */
export async function askApp(
  callbacks: LoginCallbacks,
  { purpose, phone, loginId, session }: LoginTransaction,
  signal: AbortSignal,
): Promise<string | undefined> {
  const proof = { phone, loginId };
  if (purpose === "login") {
    return userIdOf("onLogin", await callApp("login.onLogin", () => callbacks.onLogin?.(proof, { signal })));
  }
  if (purpose === "step_up" || !session) return session?.userId;
  const link = { ...proof, userId: session.userId };
  const userId = userIdOf("onLink", await callApp("login.onLink", () => callbacks.onLink?.(link, { signal })));
  if (userId === undefined || userId === session.userId) return userId;
  throw new CallbackMistake("login.onLink must return the id of the user that it was given, or undefined to refuse.");
}

/** Asks the app for the number that a user proves in a step-up. */
export function askPhoneOf(callbacks: LoginCallbacks, userId: string): Promise<string | null | undefined> {
  return callApp("login.phoneOf", () => callbacks.phoneOf?.(userId));
}

/** A mistake in the app's callback. Sending the code again would not help. */
export class CallbackMistake extends TypeError {}

function userIdOf(callback: string, answer: unknown): string | undefined {
  if (answer === undefined || answer === null) return undefined;
  if (typeof answer === "string" && answer !== "") return answer;
  throw new CallbackMistake(`login.${callback} must return the user's id as a string, or undefined to refuse.`);
}
