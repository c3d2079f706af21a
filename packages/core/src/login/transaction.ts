import { hash } from "node:crypto";
import { type LoginCode, maxCodeSeconds } from "../codes/code-strategy.ts";
import type { CountedLogin } from "../limits/counted-login.ts";
import { randomText } from "../util/random-text.ts";

/** A login that is under way, as the store holds it. Instants are Unix milliseconds, judged by core's clock. */
export interface LoginTransaction extends Omit<LoginCode, "transactionKey"> {
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The instant from which another code may be sent. */
  readonly resendAt: number;
  /** The instant at which the newest code was sent for the first time. */
  readonly codeSentAt: number;
  /** The service's id of the newest send's message, if the app words the texts. */
  readonly messageId?: string | undefined;
  /** True once the login is finished: nothing opens it again. */
  readonly done?: boolean | undefined;
  /** What the login has added to the limits of sending, once its code was sent. */
  readonly counted?: CountedLogin | undefined;
  /** The session that started a `link` or a `step_up`. */
  readonly session?: { readonly userId: string; readonly sessionId?: string | undefined } | undefined;
  /** The number that the account of a `link` had at the start, if it had another one. */
  readonly oldPhone?: string | undefined;
}

/** The maximum age of a transaction, however often a code is sent again. A login whose code was right gets a minute more. */
export const maxTransactionSeconds = 3600;
const finishSeconds = 60;

/** The lifetime of everything that must outlive every transaction: its attempts, its approval, the end of its number's others. */
export const outliveTransactionSeconds: number = maxTransactionSeconds + 2 * finishSeconds;

/** Returns when a transaction expires whose newest code is sent now, for the first time or again. */
export function expiryOf(
  { createdAt, codeSentAt }: Pick<LoginTransaction, "createdAt" | "codeSentAt">,
  now: number,
  lifetimeSeconds: number,
): number {
  return Math.min(
    now + lifetimeSeconds * 1000,
    codeSentAt + maxCodeSeconds * 1000,
    createdAt + maxTransactionSeconds * 1000,
  );
}

/** Gives a login whose code was right a minute to be finished, after the first try failed, within the life of the code. */
export function withTimeToFinish(transaction: LoginTransaction, now: number): LoginTransaction {
  const latest = Math.min(
    transaction.codeSentAt + maxCodeSeconds * 1000,
    transaction.createdAt + (maxTransactionSeconds + finishSeconds) * 1000,
  );
  const expiresAt = Math.max(transaction.expiresAt, Math.min(now + finishSeconds * 1000, latest));
  return { ...transaction, expiresAt };
}

/** Tells whether a request with this session may go on with a transaction: a link or a step-up is held to its session. */
export function belongsTo(
  { session }: LoginTransaction,
  current: { readonly userId: string; readonly sessionId?: string } | undefined,
): boolean {
  if (!session) return true;
  return current?.userId === session.userId && current.sessionId === session.sessionId;
}

/** The form of the texts that {@link newRandomText} creates. */
export const randomTextForm: RegExp = /^[\w-]{22}$/;

/** Creates a random text of 128 bits: the id of a transaction or of a device, as a cookie carries it, or the seed of a login's codes. */
export function newRandomText(): string {
  return randomText(16, "base64url");
}

/** Returns the short public name by which two tabs tell their transactions apart. It gives access to nothing. */
export function tagOf(id: string): string {
  return hash("sha256", `tag ${id}`, "base64url").slice(0, 8);
}
