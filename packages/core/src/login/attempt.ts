import { DoorcodeError } from "../errors.ts";
import type { Increment } from "../store/store.ts";
import type { CodeSubject } from "./code-strategy.ts";
import { reserve } from "./limits.ts";
import type { LoginParts, SessionPort } from "./login.ts";
import { readPhoneEnd } from "./phone-end.ts";
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
  readonly subject: CodeSubject;
  readonly attemptsLeft: number;
  /** Gives the attempt and the failure back: the code was right. */
  giveBack(): Promise<void>;
}

/**
 * Reserves an attempt of the transaction, and a failure of its number, before any comparison or call of the service:
 * what is counted afterwards can be outrun by parallel requests. A refusal that judged no code gives both back.
 *
 * @throws {@link DoorcodeError} `no_transaction`, `attempts_exhausted`, `too_many_failures` or `session_changed`
 */
export async function reserveAttempt(login: LoginParts, request: ConfirmRequest): Promise<Attempt> {
  const { store, transactions, budgets, keys } = login;
  if (request.id === undefined) throw new DoorcodeError("no_transaction");
  const key = transactions.keyOf(request.id);
  const budget = budgets.attempt(key);
  // Counted also for an id that nobody gave out, so that both cost the same.
  const [[stored], [counted]] = await Promise.all([store.get([key]), store.increment([budget])]);
  const transaction = transactions.read(stored, request.purpose);
  if (!transaction) throw new DoorcodeError("no_transaction");
  if (!counted?.granted) throw new DoorcodeError("attempts_exhausted", { members: { attemptsLeft: 0 } });

  const taken: Increment[] = [budget];
  const giveBack = async () => {
    await store.increment(taken.map((share) => ({ ...share, by: -share.by })));
  };
  try {
    const fingerprint = keys.fingerprint(transaction.phone);
    const failures = budgets.failure(fingerprint);
    const [ended] = await Promise.all([readPhoneEnd(login, fingerprint), reserve(store, failures)]);
    taken.push(...failures);
    if (ended && ended.atMilliseconds > transaction.createdAt && ended.loginId !== transaction.loginId) {
      throw new DoorcodeError("no_transaction");
    }
    await assertSameSession(transaction, request.sessions);
  } catch (error) {
    await giveBack();
    throw error;
  }
  const subject = { transactionKey: key, phone: transaction.phone, purpose: transaction.purpose };
  return { key, transaction, subject, attemptsLeft: Math.max(0, budget.limit - counted.count), giveBack };
}

/** A number is linked to, or proven for, the account that asked for it, and for no other. */
async function assertSameSession({ session }: Transaction, sessions: SessionPort): Promise<void> {
  if (!session) return;
  const current = await sessions.current();
  const same = current?.userId === session.userId && current.sessionId === session.sessionId;
  if (!same) throw new DoorcodeError("session_changed");
}
