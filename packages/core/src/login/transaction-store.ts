import { hash } from "node:crypto";
import type { Purpose } from "../codes/purpose.ts";
import { type Budget, refusalOf, withStates } from "../limits/budgets.ts";
import { type HeldLease, takeLease } from "../store/held-lease.ts";
import { wait } from "../util/clock.ts";
import { DoorcodeError } from "../util/errors.ts";
import { attemptBudget, pauseAfter, pauseCounter } from "./attempt-budgets.ts";
import type { LoginDeps } from "./login-deps.ts";
import { type LoginTransaction, maxTransactionSeconds } from "./transaction.ts";
import { readTransactionText, transactionText } from "./transaction-record.ts";

/** The transaction that a client names: its id comes from a cookie or a token, its purpose from the mount. */
export interface NamedTransaction {
  readonly purpose: Purpose;
  readonly id: string | undefined;
}

/** Why a browser has no open transaction. */
export type AbsenceReason =
  /** The request has no cookie or token of a transaction. */
  | "unnamed"
  /** The time of its code is over. */
  | "expired"
  /** There is none of this purpose, it is done, or it is long past. */
  | "unknown";

/** Why there is no open transaction. */
export interface AbsentTransaction {
  readonly absent: AbsenceReason;
}

/** Creates the refusal of a request that has no open transaction. */
export function refuseAbsent(reason: AbsenceReason): DoorcodeError {
  if (reason === "expired") return new DoorcodeError("code_expired");
  if (reason === "unknown") return new DoorcodeError("no_transaction");
  return new DoorcodeError("no_transaction", { message: unnamed });
}

const unnamed =
  "The request has no cookie of a login under way: start one in this browser, and let it keep cookies of this site. A client with " +
  "tokens sends Doorcode-Transaction.";

/** A transaction that is neither done nor past. */
export interface OpenTransaction {
  /** Its key in the store, under which attempts are counted and codes are digested, too. */
  readonly key: string;
  readonly transaction: LoginTransaction;
  /** The digest of the code that was found right, when the login could not be finished then. */
  readonly approvedDigest: string | undefined;
  /** The attempt that was to be counted: what refuses it, its share, and its number in the login. */
  readonly attempt: {
    readonly refusal: DoorcodeError | undefined;
    readonly granted: readonly Budget[];
    readonly number: number;
  };
  /** True when no further code will be right: the service said so, or its codes have become too short. */
  readonly attemptsRevoked: boolean;
  readonly attemptsLeft: number;
  /** The time until another code may be tried, after the attempt if one was counted. */
  readonly checkInSeconds: number;
}

/**
 * Returns a transaction's key in the store. A browser knows the id and the store only its digest, so reading the store
 * gives access to no login.
 */
export function transactionKeyOf({ name }: LoginDeps, id: string): string {
  return `${name}:t:${hash("sha256", id, "base64url").slice(0, 22)}`;
}

/** Returns the key that keeps the digest of a code that was found right. */
export function approvalKeyOf(transactionKey: string): string {
  return `${transactionKey}:approved`;
}

/**
 * Loads the open transaction of a browser and counts an attempt of it in the same round trip.
 *
 * @param attempts - 1 reserves an attempt, 0 only reads how many are left.
 */
export async function loadTransaction(
  deps: LoginDeps,
  { purpose, id }: NamedTransaction,
  attempts: 0 | 1,
): Promise<OpenTransaction | AbsentTransaction> {
  if (id === undefined) return { absent: "unnamed" };
  const { store, limits } = deps;
  const key = transactionKeyOf(deps, id);
  const budget = attemptBudget(deps, key);
  const counters = [{ ...budget, by: attempts }, pauseCounter(key)];
  const [[stored, approvedDigest], states] = await Promise.all([
    store.get([key, approvalKeyOf(key)]),
    store.increment(counters),
  ]);
  // An id that the kit never issued must leave no counter behind: strangers could fill the store with them.
  if (stored === undefined && attempts > 0) await store.put(budget.key, undefined, budget);
  const read = readOpen(deps, key, stored, purpose);
  if ("absent" in read) return read;
  const { count = 0, granted = false } = states[0] ?? {};
  const pauseSeconds = states[1]?.secondsLeft ?? 0;
  const exhausted = refusalOf(withStates(counters, states));
  const isEarly = attempts > 0 && exhausted === undefined && pauseSeconds > 0;
  const refusal = isEarly ? new DoorcodeError("check_cooldown", { retryAfterSeconds: pauseSeconds }) : exhausted;
  // An attempt that a pause refuses is given back.
  const used = isEarly ? count - attempts : count;
  return {
    key,
    transaction: read.transaction,
    approvedDigest,
    attempt: { refusal, granted: attempts > 0 && granted ? [budget] : [], number: count },
    attemptsRevoked: count > limits.attemptsPerTransaction,
    attemptsLeft: Math.max(0, limits.attemptsPerTransaction - used),
    checkInSeconds: attempts > 0 ? pauseAfter(limits, count) : pauseSeconds,
  };
}

function readOpen(
  { clock }: LoginDeps,
  key: string,
  stored: string | undefined,
  purpose: Purpose,
): { readonly transaction: LoginTransaction } | AbsentTransaction {
  const transaction = readTransactionText(key, stored);
  if (!transaction || transaction.done || transaction.purpose !== purpose) return { absent: "unknown" };
  return clock.now() < transaction.expiresAt ? { transaction } : { absent: "expired" };
}

/** Writes a transaction. It lives until it expires, and a minute longer for clocks that differ. */
export async function writeTransaction(deps: LoginDeps, key: string, transaction: LoginTransaction): Promise<void> {
  const ttlSeconds = ttlSecondsUntil(deps, transaction.expiresAt);
  await deps.store.put(key, transactionText(transaction), { ttlSeconds });
}

function ttlSecondsUntil({ clock }: LoginDeps, instant: number): number {
  return Math.max(0, Math.ceil((instant - clock.now()) / 1000)) + 60;
}

/** Deletes a transaction. */
export async function dropTransaction({ store }: LoginDeps, key: string): Promise<void> {
  await store.put(key, undefined, { ttlSeconds: 1 });
}

/** A transaction that only this request may change. A holder that was overtaken writes nothing. */
export interface LeasedTransaction {
  readonly transaction: LoginTransaction;
  /** Writes the transaction and ends the lease. Returns false, and writes nothing, when another request took over. */
  release(transaction: LoginTransaction): Promise<boolean>;
  /**
   * Keeps the lease until `work` releases it. The signal of the work aborts when the lease is lost, and at the limit; then `aborted`
   * rejects with its reason. A listener of the signal would cost a login as much as two calls of the store.
   */
  during<Result>(
    limitSeconds: number,
    work: (signal: AbortSignal, aborted: Promise<never>) => Promise<Result>,
  ): Promise<Result>;
}

const leaseSeconds = 15;
const pollMilliseconds = 100;
const maxWaitMilliseconds = 4000;

/**
 * Leases a transaction, and waits up to 4 seconds while another request holds it.
 *
 * @throws {@link DoorcodeError} `no_transaction` or `code_expired` when it is over; `transaction_busy` when it stays held
 */
export async function leaseTransaction(
  deps: LoginDeps,
  { key, transaction: seen }: Pick<OpenTransaction, "key" | "transaction">,
): Promise<LeasedTransaction> {
  const { store, clock } = deps;
  const giveUpAt = clock.now() + maxWaitMilliseconds;
  // The holder may write a later expiry than the one that was seen, but no transaction gets older than this.
  const ttlSeconds = ttlSecondsUntil(deps, seen.createdAt + maxTransactionSeconds * 1000);
  for (;;) {
    const lease = await takeLease(store, key, { clock, leaseSeconds, ttlSeconds });
    const read = readOpen(deps, key, lease.value, seen.purpose);
    if ("absent" in read) {
      // A finished login stays finished: the value is put back as it was found.
      if (lease.held) await lease.settle(lease.value);
      throw refuseAbsent(read.absent);
    }
    if (lease.held) return createLeasedTransaction(lease, read.transaction);
    if (clock.now() >= giveUpAt) throw new DoorcodeError("transaction_busy", { retryAfterSeconds: 1 });
    await wait(clock, pollMilliseconds);
  }
}

function createLeasedTransaction(lease: HeldLease, transaction: LoginTransaction): LeasedTransaction {
  return {
    transaction,
    release: (next) => lease.settle(transactionText(next)),
    during(limitSeconds, work) {
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      // It may reject when the work is done, and nobody waits for it any more.
      aborted.catch(() => undefined);
      const { signal } = lease.keepAlive(limitSeconds, () => reject(signal.reason));
      return work(signal, aborted);
    },
  };
}

/**
 * Changes a transaction under its lease, starting from its current value.
 *
 * @throws {@link DoorcodeError} as {@link leaseTransaction}
 */
export async function changeTransaction(
  deps: LoginDeps,
  open: Pick<OpenTransaction, "key" | "transaction">,
  change: (current: LoginTransaction) => LoginTransaction,
): Promise<LoginTransaction> {
  const leased = await leaseTransaction(deps, open);
  const changed = change(leased.transaction);
  if (!(await leased.release(changed))) throw new DoorcodeError("transaction_busy", { retryAfterSeconds: 1 });
  return changed;
}
