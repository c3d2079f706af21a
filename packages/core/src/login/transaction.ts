import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { type Clock, wait } from "../clock.ts";
import { DoorcodeError } from "../errors.ts";
import { type HeldLease, takeLease } from "../store/held-lease.ts";
import { readRecord } from "../store/record.ts";
import type { Store } from "../store/store.ts";

/** What a login is for; it belongs to the mount, never to a body. */
export type Purpose = "login" | "link" | "step_up";

/** A login under way, as it stands in the store. Instants are Unix milliseconds, judged by core's clock. */
export interface Transaction {
  /** The idempotency key of everything this login does; it opens nothing. */
  readonly loginId: string;
  readonly purpose: Purpose;
  /** E.164. */
  readonly phone: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly resendAt: number;
  /** Which of its codes is the newest, counted from 1. */
  readonly issue: number;
  /** The service's id of the newest code's verification. */
  readonly verificationId?: string | undefined;
  /** The digest of the newest code, when the app owns it. */
  readonly digest?: string | undefined;
  readonly done?: boolean | undefined;
  /** Whose session started it, for `link` and `step_up`. */
  readonly session?: { readonly userId: string; readonly sessionId?: string | undefined } | undefined;
}

const transactionShape: z.ZodType<Transaction> = z.object({
  loginId: z.string(),
  purpose: z.enum(["login", "link", "step_up"]),
  phone: z.string(),
  createdAt: z.number(),
  expiresAt: z.number(),
  resendAt: z.number(),
  issue: z.number(),
  verificationId: z.string().optional(),
  digest: z.string().optional(),
  done: z.boolean().optional(),
  session: z.object({ userId: z.string(), sessionId: z.string().optional() }).optional(),
});

/** The right to change a transaction, fenced: a holder that was overtaken writes nothing. */
export interface HeldTransaction {
  readonly transaction: Transaction;
  /** Writes and lets go. False when somebody took over. */
  release(transaction: Transaction): Promise<boolean>;
  /** Keeps the right while `work` runs; its signal aborts when the right is lost, and at the limit. */
  during<Result>(limitSeconds: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
}

/** Where transactions live. A browser knows the id, the store only its digest: reading the store opens no login. */
export interface Transactions {
  /** The store's key of an id; attempts are counted, and codes digested, under it too. */
  keyOf(id: string): string;
  /** Where the digest of a code that was found right is kept. */
  approvalKeyOf(key: string): string;
  /** Remembers a right code: with it, and only with it, the login can be finished without asking again. */
  approve(key: string, digest: string): Promise<void>;
  /** Reads what the store holds; `undefined` for what is done, past, of another purpose or none. */
  read(stored: string | undefined, purpose: Purpose): Transaction | undefined;
  write(key: string, transaction: Transaction): Promise<void>;
  forget(key: string): Promise<void>;
  /**
   * Waits up to 4 s for the right to change a transaction.
   *
   * @throws {@link DoorcodeError} `no_transaction` when it is over; `transaction_busy` when somebody else keeps it
   */
  hold(key: string, seen: Transaction): Promise<HeldTransaction>;
  /** Changes a transaction under that right, as it then stands. Throws as `hold` does. */
  change(key: string, seen: Transaction, next: (current: Transaction) => Transaction): Promise<Transaction>;
}

/** However often a code is sent again, a transaction ends then, or a minute later while an approved login is finished. */
export const longestTransactionSeconds = 3600;
const finishSeconds = 60;

/** When a transaction ends whose newest code was sent now. */
export function expiryOf(createdAt: number, now: number, lifetimeSeconds: number): number {
  return Math.min(now + lifetimeSeconds * 1000, createdAt + longestTransactionSeconds * 1000);
}

/** Leaves a login whose code was right a minute to be finished, when the first try failed. */
export function withTimeToFinish(transaction: Transaction, now: number): Transaction {
  const latest = transaction.createdAt + (longestTransactionSeconds + finishSeconds) * 1000;
  const expiresAt = Math.max(transaction.expiresAt, Math.min(now + finishSeconds * 1000, latest));
  return { ...transaction, expiresAt };
}

const leaseSeconds = 15;
const pollMilliseconds = 100;
const patienceMilliseconds = 4000;

/** 128 random bits, as the cookie carries them. */
export function newTransactionId(): string {
  return randomBytes(16).toString("base64url");
}

/** The short public name by which two tabs tell their transactions apart; it opens nothing. */
export function tagOf(id: string): string {
  return createHash("sha256").update(`tag ${id}`).digest("base64url").slice(0, 8);
}

/** Binds the transactions of one app to its store and clock. */
export function createTransactions({ store, clock, name }: TransactionParts): Transactions {
  /** Until the end, and a minute for clocks that differ. */
  const ttlSeconds = (expiresAt: number) => Math.max(0, Math.ceil((expiresAt - clock.now()) / 1000)) + 60;

  function read(stored: string | undefined, purpose: Purpose): Transaction | undefined {
    const transaction = readRecord(transactionShape, stored);
    if (!transaction || transaction.done || transaction.purpose !== purpose) return undefined;
    return clock.now() < transaction.expiresAt ? transaction : undefined;
  }

  async function hold(key: string, seen: Transaction): Promise<HeldTransaction> {
    const giveUpAt = clock.now() + patienceMilliseconds;
    // What the holder writes may end later than what was seen, but no transaction outlives this.
    const longest = ttlSeconds(seen.createdAt + longestTransactionSeconds * 1000);
    for (;;) {
      const lease = await takeLease(store, key, { clock, leaseSeconds, ttlSeconds: longest });
      const transaction = read(lease.value, seen.purpose);
      // Over, whoever holds it: nobody brings a finished login back.
      if (!transaction) {
        if (lease.held) await lease.settle(lease.value);
        throw new DoorcodeError("no_transaction");
      }
      if (lease.held) return held(lease, transaction);
      if (clock.now() >= giveUpAt) throw new DoorcodeError("transaction_busy", { retryAfterSeconds: 1 });
      await wait(clock, pollMilliseconds);
    }
  }

  async function change(
    key: string,
    seen: Transaction,
    next: (current: Transaction) => Transaction,
  ): Promise<Transaction> {
    const { transaction, release } = await hold(key, seen);
    const changed = next(transaction);
    if (!(await release(changed))) throw new DoorcodeError("transaction_busy", { retryAfterSeconds: 1 });
    return changed;
  }

  return {
    approvalKeyOf,
    approve: (key, digest) =>
      store.put(approvalKeyOf(key), digest, { ttlSeconds: longestTransactionSeconds + 2 * finishSeconds }),
    keyOf: (id) => `${name}:login:${createHash("sha256").update(id).digest("base64url")}`,
    read,
    write: (key, transaction) =>
      store.put(key, JSON.stringify(transaction), { ttlSeconds: ttlSeconds(transaction.expiresAt) }),
    forget: (key) => store.put(key, undefined, { ttlSeconds: 1 }),
    hold,
    change,
  };
}

function approvalKeyOf(key: string): string {
  return `${key}:approved`;
}

interface TransactionParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly name: string;
}

function held(lease: HeldLease, transaction: Transaction): HeldTransaction {
  return {
    transaction,
    release: (next) => lease.settle(JSON.stringify(next)),
    async during(limitSeconds, work) {
      const renewal = lease.keepAlive(limitSeconds);
      try {
        return await work(renewal.signal);
      } finally {
        renewal.stop();
      }
    },
  };
}
