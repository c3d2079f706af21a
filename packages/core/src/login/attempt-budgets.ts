import type { Budget } from "../limits/budgets.ts";
import type { LoginLimits } from "../limits/login-limits.ts";
import type { CounterChange } from "../store/store.ts";
import type { LoginDeps } from "./login-deps.ts";
import { outliveTransactionSeconds } from "./transaction.ts";

/** Returns the budget of one attempt, a code tried in a transaction. */
export function attemptBudget({ limits }: LoginDeps, transactionKey: string): Budget {
  return {
    key: `${transactionKey}:attempts`,
    by: 1,
    limit: limits.attemptsPerTransaction,
    // A counter that expired before its transaction would give its attempts back.
    ttlSeconds: outliveTransactionSeconds,
    refusal: "attempts_exhausted",
    closes: true,
  };
}

const maxReturned = 100;

/**
 * Returns the budget of one attempt that is given back, because the service has compared nothing. Without an end, one login could keep
 * the app at the service's rate limit for as long as it lives.
 */
export function returnBudget(transactionKey: string): CounterChange {
  const key = `${transactionKey}:attempts-returned`;
  return { key, by: 1, limit: maxReturned, ttlSeconds: outliveTransactionSeconds };
}

/**
 * Returns the budget that keeps attempts apart: none may be made while another one's pause lasts. The first ones need no pause, and so
 * no budget. It belongs to the transaction, so nobody has to wait for wrong codes of others.
 *
 * @param number - the number of the attempt: 1 is the first one.
 */
export function pauseBudgets(
  { limits }: LoginDeps,
  { key, attempt: { number } }: { readonly key: string; readonly attempt: { readonly number: number } },
): readonly Budget[] {
  // Of attempts at once, the last one must not pass the pause of the one before.
  const ttlSeconds = pauseAfter(limits, number) || pauseAfter(limits, number - 1);
  return ttlSeconds > 0 ? [{ ...pauseOf(key), by: 1, ttlSeconds, refusal: "check_cooldown" }] : [];
}

function pauseOf(transactionKey: string) {
  return { key: `${transactionKey}:check-pause`, limit: 1 };
}

/** Returns the pause after an attempt. Nobody waits before the first one, and after the last one. */
export function pauseAfter({ attemptsPerTransaction, checkPauseSeconds }: LoginLimits, number: number): number {
  if (number < 1 || number >= attemptsPerTransaction) return 0;
  return checkPauseSeconds[Math.min(number, checkPauseSeconds.length) - 1] ?? 0;
}

/** Returns the counter whose lifetime tells how long a pause still lasts. */
export function pauseCounter(transactionKey: string): CounterChange {
  return { ...pauseOf(transactionKey), by: 0, ttlSeconds: 1 };
}

/** Uses up all attempts: no further code will be right. A right code that is being finished is not disturbed. */
export async function revokeAttempts({ store, limits }: LoginDeps, { key }: { readonly key: string }): Promise<void> {
  const by = limits.attemptsPerTransaction;
  await store.increment([{ key: `${key}:attempts`, by, ttlSeconds: outliveTransactionSeconds }]);
}
