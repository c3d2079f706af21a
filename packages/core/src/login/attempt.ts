import { DoorcodeError } from "../errors.ts";
import type { Increment } from "../store/store.ts";
import type { CodeSubject } from "./code-strategy.ts";
import { emptied, giveBack, reserve, returned } from "./limits.ts";
import type { LoginParts, SessionPort } from "./login.ts";
import { isEndedFor, readPhoneEnd } from "./phone-end.ts";
import type { Purpose, Transaction } from "./transaction.ts";

/** A code that a browser sends, and where it says it belongs. */
export interface ConfirmRequest {
  readonly purpose: Purpose;
  /** From the cookie. */
  readonly id: string | undefined;
  /** Digits only, of a length that the strategy admits. */
  readonly code: string;
  readonly sessions: SessionPort;
}

/** The right to try one code once, taken before anything is compared. */
export interface Attempt {
  readonly key: string;
  readonly transaction: Transaction;
  /** The digest of the code that was found right before, when the login was not finished then. */
  readonly approved: string | undefined;
  readonly subject: CodeSubject;
  readonly attemptsLeft: number;
  /** The code was right: gives the attempt back, and begins the failures of its number again from zero. */
  forgive(): Promise<void>;
  /** Uses up what attempts are left: no code will be right any more. A right one on its way is not disturbed. */
  exhaust(): Promise<void>;
}

/**
 * Reserves an attempt of the transaction, and a failure of its number, before any comparison or call of the service:
 * what is counted afterwards can be outrun by parallel requests. A refusal that judged no code gives both back.
 *
 * @throws {@link DoorcodeError} `no_transaction`, `attempts_exhausted`, `too_many_failures`, `session_changed` or
 * `store_unavailable`
 */
export async function reserveAttempt(login: LoginParts, request: ConfirmRequest): Promise<Attempt> {
  const { store, transactions, budgets } = login;
  if (request.id === undefined) throw new DoorcodeError("no_transaction");
  const key = transactions.keyOf(request.id);
  const budget = budgets.attempt(key);
  const [[stored, approved], [counted]] = await Promise.all([
    store.get([key, transactions.approvalKeyOf(key)]),
    store.increment([budget]),
  ]);
  const transaction = transactions.read(stored, request.purpose);
  // An id that nobody gave out leaves no counter behind: strangers could fill the store with them.
  if (stored === undefined) await store.put(budget.key, undefined, budget);
  if (!transaction) throw new DoorcodeError("no_transaction");
  if (!counted?.granted) throw usedUp(budget, counted?.count ?? 0);

  const failures = await reserveFailure(login, request, transaction, budget);
  return {
    key,
    transaction,
    approved,
    subject: { transactionKey: key, phone: transaction.phone, purpose: transaction.purpose },
    attemptsLeft: Math.max(0, budget.limit - counted.count),
    forgive: async () => {
      await store.increment([returned(budget), ...failures.map(emptied)]);
    },
    exhaust: async () => {
      await store.increment([{ key: budget.key, by: budget.limit, ttlSeconds: budget.ttlSeconds }]);
    },
  };
}

/** A count beyond the limit is none that attempts reach: the service said that no code will be right any more. */
function usedUp({ limit }: { readonly limit: number }, count: number): DoorcodeError {
  if (count > limit) return new DoorcodeError("no_transaction");
  return new DoorcodeError("attempts_exhausted", { members: { attemptsLeft: 0 } });
}

/** Reserves a failure of the number, and gives everything back when no code is going to be judged. */
async function reserveFailure(
  login: LoginParts,
  { sessions }: ConfirmRequest,
  transaction: Transaction,
  attempt: Increment,
): Promise<readonly Increment[]> {
  const { store, keys, budgets } = login;
  const fingerprint = keys.fingerprint(transaction.phone);
  const failures = budgets.failure(fingerprint);
  const taken = [attempt];
  const reserving = reserve(store, failures).then(() => void taken.push(...failures));
  try {
    const [end] = await Promise.all([readPhoneEnd(login, fingerprint), reserving]);
    if (isEndedFor(transaction, end)) throw new DoorcodeError("no_transaction");
    await assertSameSession(transaction, sessions);
    return failures;
  } catch (error) {
    await Promise.allSettled([reserving]);
    await giveBack(store, taken);
    throw error;
  }
}

/**
 * Holds a link or a step-up to the session that asked for it.
 *
 * @throws {@link DoorcodeError} `session_changed`
 */
export async function assertSameSession({ session }: Transaction, sessions: SessionPort): Promise<void> {
  if (!session) return;
  const current = await sessions.current();
  const same = current?.userId === session.userId && current.sessionId === session.sessionId;
  if (!same) throw new DoorcodeError("session_changed");
}
