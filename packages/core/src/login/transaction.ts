import { hash } from "node:crypto";
import { z } from "zod";
import { type LoginCode, maxCodeSeconds, type Purpose, purposes } from "../codes/code-strategy.ts";
import { type LimitFacts, limitFactsShape } from "../limits/decision.ts";
import { readRecord } from "../store/checked-store.ts";
import { type HeldLease, takeLease } from "../store/lease.ts";
import { wait } from "../util/clock.ts";
import { DoorcodeError } from "../util/errors.ts";
import { digestOfId } from "../util/keys.ts";
import type { LoginDeps } from "./login-deps.ts";

/*
 * An open login has two entries in the store. One holds what never changes of it: it is written once, before the first code is sent, and
 * only the end of the login replaces it. The other holds its newest code, which each send replaces. So a resend and the end of a login
 * never write the same entry, and a send that ends late brings no login back.
 */

/** An open login. Instants are Unix milliseconds, judged by core's clock. */
export interface LoginTransaction
  extends Pick<LoginCode, "loginId" | "purpose" | "phone" | "codeKey" | "codeSeed" | "codeLength" | "language"> {
  readonly createdAt: number;
  /** The session that started a `link` or a `step_up`. */
  readonly session?: { readonly userId: string; readonly sessionId?: string | undefined } | undefined;
  /** The number that the account of a `link` had at the start, if it had another one. */
  readonly oldPhone?: string | undefined;
  /** The instant until which a login can be finished whose code was right, and whose first try to finish it failed. */
  readonly finishUntil?: number | undefined;
  /** True once the login is finished: nothing opens it again. */
  readonly done?: boolean | undefined;
}

/** The newest code of a login. */
export interface NewestCode extends Pick<LoginCode, "sends" | "codeNumber" | "verificationId" | "isSuppressed"> {
  /** The instant at which this code was sent for the first time. */
  readonly codeSentAt: number;
  readonly expiresAt: number;
  /** The instant from which another code may be sent. */
  readonly resendAt: number;
  readonly channel: string;
  /** What the login has added to the limits of sending. */
  readonly facts: LimitFacts;
  /** The service's id of the newest send's message, if the app words the texts. */
  readonly messageId?: string | undefined;
}

const transactionShape: z.ZodType<LoginTransaction> = z.object({
  loginId: z.string(),
  purpose: z.enum(purposes),
  phone: z.string(),
  createdAt: z.number(),
  codeKey: z.string(),
  codeSeed: z.string(),
  codeLength: z.number().optional(),
  language: z.string().optional(),
  session: z.object({ userId: z.string(), sessionId: z.string().optional() }).optional(),
  oldPhone: z.string().optional(),
  finishUntil: z.number().optional(),
  done: z.boolean().optional(),
});

const newestCodeShape: z.ZodType<NewestCode> = z.object({
  sends: z.number(),
  codeNumber: z.number(),
  codeSentAt: z.number(),
  expiresAt: z.number(),
  resendAt: z.number(),
  channel: z.string(),
  facts: limitFactsShape,
  verificationId: z.string().optional(),
  messageId: z.string().optional(),
  isSuppressed: z.boolean().optional(),
});

/** The maximum age of a transaction, however often a code is sent again. A right code gets a minute more. */
export const maxTransactionSeconds = 3600;
const finishSeconds = 60;

/** The lifetime of everything that belongs to a login in the store, and of the end of its number's other logins. */
export const outliveTransactionSeconds: number = maxTransactionSeconds + 2 * finishSeconds;

/** Returns when a code expires that is sent now, for the first time or again. */
export function expiryOf(
  { createdAt }: LoginTransaction,
  codeSentAt: number,
  now: number,
  lifetimeSeconds: number,
): number {
  return Math.min(
    now + lifetimeSeconds * 1000,
    codeSentAt + maxCodeSeconds * 1000,
    createdAt + maxTransactionSeconds * 1000,
  );
}

/** Gives a login whose code was right a minute to be finished, within the life of the code. */
export function withTimeToFinish(
  transaction: LoginTransaction,
  { codeSentAt }: NewestCode,
  now: number,
): LoginTransaction {
  const finishUntil = Math.min(
    now + finishSeconds * 1000,
    codeSentAt + maxCodeSeconds * 1000,
    transaction.createdAt + (maxTransactionSeconds + finishSeconds) * 1000,
  );
  return { ...transaction, finishUntil };
}

/** Returns when a login ends, unless another code is sent. */
export function endOf({ finishUntil = 0 }: LoginTransaction, { expiresAt }: NewestCode): number {
  return Math.max(expiresAt, finishUntil);
}

/** Tells whether a session may go on with a transaction: a link or a step-up is held to its session. */
export function belongsTo(
  { session }: LoginTransaction,
  current: { readonly userId: string; readonly sessionId?: string } | undefined,
): boolean {
  if (!session) return true;
  return current?.userId === session.userId && current.sessionId === session.sessionId;
}

/** Returns the short public name by which two tabs tell their transactions apart. It gives access to nothing. */
export function tagOf(id: string): string {
  return hash("sha256", `tag ${id}`, "base64url").slice(0, 8);
}

/** Returns a transaction's key in the store. */
export function transactionKeyOf({ name }: LoginDeps, id: string): string {
  return `${name}:login:${digestOfId(id)}`;
}

function newestCodeKeyOf(transactionKey: string): string {
  return `${transactionKey}:code`;
}

/** Returns the key that keeps the digest of a code that was found right. */
export function approvalKeyOf(transactionKey: string): string {
  return `${transactionKey}:approved`;
}

/** The transaction that a client names: its id comes from a cookie or a token, its purpose from the mount. */
export interface NamedTransaction {
  readonly purpose: Purpose;
  readonly id: string | undefined;
}

/** A transaction that is neither done nor expired. */
export interface OpenTransaction {
  /** Its key in the store, under which attempts are counted and codes are digested, too. */
  readonly key: string;
  readonly transaction: LoginTransaction;
  readonly code: NewestCode;
  /** The digest of the code that was found right, when the login could not be finished then. */
  readonly approvedDigest?: string | undefined;
}

/** Why there is no open transaction: `code_expired` if the time of its code is over. */
type Absence = "no_transaction" | "code_expired";

/** Finds the open transaction of a browser and its newest code, in one read of the store. */
export async function findTransaction(
  deps: LoginDeps,
  { purpose, id }: NamedTransaction,
): Promise<OpenTransaction | Absence> {
  if (id === undefined) return "no_transaction";
  const key = transactionKeyOf(deps, id);
  const [stored, storedCode, approvedDigest] = await deps.store.get([key, newestCodeKeyOf(key), approvalKeyOf(key)]);
  const code = readRecord(newestCodeShape, storedCode);
  if (!code) {
    deps.warnOfLostLogin?.();
    return "no_transaction";
  }
  const transaction = openOf(deps, stored, code);
  if (typeof transaction === "string") return transaction;
  return transaction.purpose === purpose ? { key, transaction, code, approvedDigest } : "no_transaction";
}

function openOf({ clock }: LoginDeps, stored: string | undefined, code: NewestCode): LoginTransaction | Absence {
  const transaction = readRecord(transactionShape, stored);
  if (!transaction || transaction.done) return "no_transaction";
  return clock.now() >= endOf(transaction, code) ? "code_expired" : transaction;
}

const unnamed =
  "The request has no cookie of a login: start one in this browser, and let it keep cookies of this site. A client with " +
  "tokens sends Doorcode-Transaction.";

/** Loads the open transaction of a browser. @throws {@link DoorcodeError} `no_transaction` or `code_expired` */
export async function loadTransaction(deps: LoginDeps, named: NamedTransaction): Promise<OpenTransaction> {
  const found = await findTransaction(deps, named);
  if (typeof found !== "string") return found;
  throw new DoorcodeError(found, named.id === undefined ? { message: unnamed } : {});
}

/** Describes the newest code of a transaction for its owner. */
export function loginCodeOf({ key, transaction, code }: OpenTransaction): LoginCode {
  return { transactionKey: key, ...transaction, ...code };
}

/** Writes a new login: what never changes of it, and its first code. */
export async function writeLogin(deps: LoginDeps, { key, transaction, code }: OpenTransaction): Promise<void> {
  const writing = deps.store.put(key, JSON.stringify(transaction), { ttlSeconds: outliveTransactionSeconds });
  await Promise.all([writing, writeNewestCode(deps, key, code)]);
}

/** Writes the newest code of a transaction. */
export async function writeNewestCode({ store }: LoginDeps, key: string, code: NewestCode): Promise<void> {
  await store.put(newestCodeKeyOf(key), JSON.stringify(code), { ttlSeconds: outliveTransactionSeconds });
}

/** Ends a transaction. What is left of it gives access to nothing, and expires. */
export async function dropTransaction(deps: LoginDeps, id: string): Promise<void> {
  await deps.store.put(transactionKeyOf(deps, id), undefined, { ttlSeconds: 1 });
}

const leaseSeconds = 15;
const pollMilliseconds = 100;
const maxWaitMilliseconds = 4000;

/**
 * Leases a transaction, so that only this request may end it. Waits up to 4 seconds for another holder.
 *
 * @throws {@link DoorcodeError} `no_transaction` or `code_expired`; `transaction_busy` when it stays held
 */
export async function leaseTransaction(
  deps: LoginDeps,
  { key, code }: OpenTransaction,
): Promise<{ readonly lease: HeldLease; readonly transaction: LoginTransaction }> {
  const { store, clock } = deps;
  const giveUpAt = clock.now() + maxWaitMilliseconds;
  for (;;) {
    const lease = await takeLease(store, key, { clock, leaseSeconds, ttlSeconds: outliveTransactionSeconds });
    const transaction = openOf(deps, lease.value, code);
    if (typeof transaction === "string") {
      // A finished login stays finished: the value is put back as it was found.
      if (lease.held) await lease.settle(lease.value);
      throw new DoorcodeError(transaction);
    }
    if (lease.held) return { lease, transaction };
    if (clock.now() >= giveUpAt) throw new DoorcodeError("transaction_busy", { retryAfterSeconds: 1 });
    await wait(clock, pollMilliseconds);
  }
}

/*
 * A completed login supersedes every other login of its number that began before it. The record in the store has the
 * number's fingerprint as its key and names the completed login, which may still have to be finished after a crash.
 */

const supersessionShape = z.object({ atMilliseconds: z.number(), loginId: z.string() });

/** Returns the key under which a number's supersession is stored. */
export function supersessionKey({ name, keys }: LoginDeps, { phone }: Pick<LoginTransaction, "phone">): string {
  return `${name}:superseded:${keys.fingerprint(phone)}`;
}

/** Returns true when another login of the number was completed after this one began. */
export function isSuperseded({ createdAt, loginId }: LoginTransaction, stored: string | undefined): boolean {
  const supersession = readRecord(supersessionShape, stored);
  return supersession !== undefined && supersession.atMilliseconds >= createdAt && supersession.loginId !== loginId;
}

/** Supersedes all other logins of the number that began before now; with a random `loginId` all of its logins. */
export async function supersedeOthers(
  deps: LoginDeps,
  winner: Pick<LoginTransaction, "phone" | "loginId">,
): Promise<void> {
  const supersession = { atMilliseconds: deps.clock.now(), loginId: winner.loginId };
  const options = { ttlSeconds: outliveTransactionSeconds };
  await deps.store.put(supersessionKey(deps, winner), JSON.stringify(supersession), options);
}
