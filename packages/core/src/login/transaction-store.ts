import { hash } from "node:crypto";
import type { LoginCode } from "../codes/code-strategy.ts";
import type { Purpose } from "../codes/purpose.ts";
import { type HeldLease, takeLease } from "../store/lease.ts";
import { wait } from "../util/clock.ts";
import { DoorcodeError } from "../util/errors.ts";
import type { LoginDeps } from "./login-deps.ts";
import {
  endOf,
  type LoginTransaction,
  type NewestCode,
  outliveTransactionSeconds,
  readNewestCode,
  readTransaction,
} from "./transaction.ts";

/** The transaction that a client names: its id comes from a cookie or a token, its purpose from the mount. */
export interface NamedTransaction {
  readonly purpose: Purpose;
  readonly id: string | undefined;
}

/**
 * The refusal of a request that has no open transaction: `no_transaction`, or `code_expired` if the time of its code is
 * over.
 */
export interface AbsentTransaction {
  readonly absent: DoorcodeError;
}

const unnamed =
  "The request has no cookie of a login under way: start one in this browser, and let it keep cookies of this site. A client with " +
  "tokens sends Doorcode-Transaction.";

/** A transaction that is neither done nor past. */
export interface OpenTransaction {
  /** Its key in the store, under which attempts are counted and codes are digested, too. */
  readonly key: string;
  readonly transaction: LoginTransaction;
  readonly code: NewestCode;
  /** The digest of the code that was found right, when the login could not be finished then. */
  readonly approvedDigest?: string | undefined;
}

/**
 * Returns a transaction's key in the store. A browser knows the id and the store only its digest, so reading the store
 * gives access to no login.
 */
export function transactionKeyOf({ name }: LoginDeps, id: string): string {
  return `${name}:login:${hash("sha256", id, "base64url").slice(0, 22)}`;
}

function newestCodeKeyOf(transactionKey: string): string {
  return `${transactionKey}:code`;
}

/** Returns the key that keeps the digest of a code that was found right. */
export function approvalKeyOf(transactionKey: string): string {
  return `${transactionKey}:approved`;
}

/** Loads the open transaction of a browser, and its newest code. */
export async function loadTransaction(
  deps: LoginDeps,
  { purpose, id }: NamedTransaction,
): Promise<OpenTransaction | AbsentTransaction> {
  if (id === undefined) return { absent: new DoorcodeError("no_transaction", { message: unnamed }) };
  const key = transactionKeyOf(deps, id);
  const [stored, storedCode, approvedDigest] = await deps.store.get([key, newestCodeKeyOf(key), approvalKeyOf(key)]);
  const open = openOf(deps, purpose, stored, readNewestCode(storedCode));
  return "absent" in open ? open : { key, ...open, approvedDigest };
}

function openOf(
  { clock }: LoginDeps,
  purpose: Purpose,
  stored: string | undefined,
  code: NewestCode | undefined,
): Pick<OpenTransaction, "transaction" | "code"> | AbsentTransaction {
  const transaction = readTransaction(stored);
  const isOpen = transaction && code && !transaction.done && transaction.purpose === purpose;
  if (!isOpen) return { absent: new DoorcodeError("no_transaction") };
  if (clock.now() >= endOf(transaction, code)) return { absent: new DoorcodeError("code_expired") };
  return { transaction, code };
}

/** Describes the newest code of a transaction for its owner. */
export function loginCodeOf({ key, transaction, code }: OpenTransaction): LoginCode {
  return { transactionKey: key, ...transaction, ...code };
}

/** Writes what never changes of a transaction. */
export async function writeTransaction(
  { store }: LoginDeps,
  key: string,
  transaction: LoginTransaction,
): Promise<void> {
  await store.put(key, JSON.stringify(transaction), { ttlSeconds: outliveTransactionSeconds });
}

/** Writes the newest code of a transaction. */
export async function writeNewestCode({ store }: LoginDeps, key: string, code: NewestCode): Promise<void> {
  await store.put(newestCodeKeyOf(key), JSON.stringify(code), { ttlSeconds: outliveTransactionSeconds });
}

/** Takes the number of the next send after the first. Two resends at the same time get two numbers. */
export async function takeSendNumber({ store }: LoginDeps, key: string): Promise<number> {
  const resend = { key: `${key}:resends`, by: 1, ttlSeconds: outliveTransactionSeconds };
  const [resends] = await store.increment([resend]);
  return 1 + (resends?.count ?? 0);
}

/** Ends a transaction. What is left of it gives access to nothing, and expires. */
export async function dropTransaction({ store }: LoginDeps, key: string): Promise<void> {
  await store.put(key, undefined, { ttlSeconds: 1 });
}

/** A transaction that only this request may end. A holder that was overtaken writes nothing. */
export interface LeasedTransaction {
  readonly lease: HeldLease;
  /** The transaction as it was when the lease was taken. */
  readonly transaction: LoginTransaction;
}

const leaseSeconds = 15;
const pollMilliseconds = 100;
const maxWaitMilliseconds = 4000;

/**
 * Leases a transaction, and waits up to 4 seconds while another request holds it.
 *
 * @throws {@link DoorcodeError} `no_transaction` or `code_expired` when it is over; `transaction_busy` when it stays
 * held
 */
export async function leaseTransaction(
  deps: LoginDeps,
  { key, transaction: { purpose }, code }: OpenTransaction,
): Promise<LeasedTransaction> {
  const { store, clock } = deps;
  const giveUpAt = clock.now() + maxWaitMilliseconds;
  for (;;) {
    const lease = await takeLease(store, key, { clock, leaseSeconds, ttlSeconds: outliveTransactionSeconds });
    const open = openOf(deps, purpose, lease.value, code);
    if ("absent" in open) {
      // A finished login stays finished: the value is put back as it was found.
      if (lease.held) await lease.settle(lease.value);
      throw open.absent;
    }
    if (lease.held) return { lease, transaction: open.transaction };
    if (clock.now() >= giveUpAt) throw new DoorcodeError("transaction_busy", { retryAfterSeconds: 1 });
    await wait(clock, pollMilliseconds);
  }
}
