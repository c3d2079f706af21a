import { DoorcodeError, type ErrorCode } from "../errors.ts";
import type { Increment, Store } from "../store/store.ts";
import { longestTransactionSeconds } from "./transaction.ts";

/** The numbers that slow attackers down. Zero means zero: no cooldown, or not a single send. */
export interface Limits {
  /** Between two codes to one number. Default: 30. */
  readonly cooldownSeconds: number;
  /** Codes to one number within `sendWindowSeconds`, all purposes and channels summed. Default: 5. */
  readonly sendsPerPhone: number;
  /** Default: 3600. */
  readonly sendWindowSeconds: number;
  /** Codes that may be tried in one transaction. Default: 5. */
  readonly attemptsPerTransaction: number;
  /** Wrong codes for one number in a row, over all transactions, until a day has passed. Default: 100. */
  readonly failuresPerPhone: number;
  /** Of those, how many within ten minutes. Default: 10. */
  readonly failuresPerPhoneInTenMinutes: number;
}

/** A share of something limited, and the refusal when it is used up. */
export interface Budget extends Increment {
  readonly refusal: ErrorCode;
}

/**
 * Reserves one share of each budget before the act that uses it; when one refuses, the granted ones are given back.
 *
 * @throws {@link DoorcodeError} with the refusal of the budget that stays closed longest
 */
export async function reserve(store: Store, budgets: readonly Budget[]): Promise<void> {
  const answers = await store.increment(budgets);
  const outcomes = budgets.map((budget, index) => ({ budget, answer: answers[index] }));
  const refused = outcomes.filter(({ answer }) => !answer?.granted);
  if (refused.length === 0) return;

  await giveBack(
    store,
    outcomes.filter(({ answer }) => answer?.granted).map(({ budget }) => budget),
  );
  // A budget of zero has no counter, and so no time at which it forgets.
  const waits = refused.map(({ budget, answer }) => ({ budget, seconds: answer?.secondsLeft || budget.ttlSeconds }));
  const [longest] = waits.sort((left, right) => right.seconds - left.seconds);
  if (longest) throw new DoorcodeError(longest.budget.refusal, { retryAfterSeconds: Math.ceil(longest.seconds) });
}

/** Gives shares back that were reserved for an act which did not come about. */
export async function giveBack(store: Store, shares: readonly Increment[]): Promise<void> {
  if (shares.length > 0) await store.increment(shares.map(returned));
}

/** The change that gives a share back. */
export function returned(share: Increment): Increment {
  // Giving back is no reason to remember for longer.
  return { ...share, by: -share.by, renew: false };
}

/** The change that gives everything back, whoever reserved it: counters stop at zero. */
export function emptied(share: Increment): Increment {
  return { ...share, by: -Number.MAX_SAFE_INTEGER, renew: false };
}

/** Names and builds the budgets of one app. All are keyed by the canonical number, so that no spelling has its own. */
export interface Budgets {
  /** For one code to a number. */
  send(phoneFingerprint: string): readonly Budget[];
  /** For one code tried in a transaction. */
  attempt(transactionKey: string): Increment & { readonly limit: number };
  /** For one wrong code of a number: a hard limit, and a gate before it that slows down. */
  failure(phoneFingerprint: string): readonly Budget[];
}

const tenMinutes = 600;
const oneDay = 86_400;

/** Binds the limits to the names of one app. */
export function createBudgets(name: string, limits: Limits): Budgets {
  return {
    send(phone) {
      const inWindow: Budget = {
        key: `${name}:sends:${phone}`,
        by: 1,
        limit: limits.sendsPerPhone,
        ttlSeconds: limits.sendWindowSeconds,
        refusal: "send_limit_reached",
      };
      const cooldown: Budget = {
        key: `${name}:cooldown:${phone}`,
        by: 1,
        limit: 1,
        ttlSeconds: limits.cooldownSeconds,
        // Each code waits for the one before it, also when a share was given back in between.
        renew: true,
        refusal: "cooldown",
      };
      return limits.cooldownSeconds === 0 ? [inWindow] : [cooldown, inWindow];
    },
    attempt: (transactionKey) => ({
      key: `${transactionKey}:attempts`,
      by: 1,
      limit: limits.attemptsPerTransaction,
      // Outlives every transaction: a counter that forgot first would give its attempts back.
      ttlSeconds: longestTransactionSeconds + 120,
    }),
    failure(phone) {
      const refusal = "too_many_failures";
      const { failuresPerPhone, failuresPerPhoneInTenMinutes } = limits;
      const inARow = { limit: failuresPerPhone, ttlSeconds: oneDay, renew: true };
      const gate = { limit: failuresPerPhoneInTenMinutes, ttlSeconds: tenMinutes };
      return [
        { key: `${name}:failures:${phone}`, by: 1, ...inARow, refusal },
        { key: `${name}:failures-gate:${phone}`, by: 1, ...gate, refusal },
      ];
    },
  };
}
