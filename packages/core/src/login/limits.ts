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

/** Budgets as reserved: they can be given back, all of them or none. */
export interface Reservation {
  release(): Promise<void>;
}

/**
 * Reserves one share of each budget before the act that uses it; when one refuses, the granted ones are given back.
 *
 * @throws {@link DoorcodeError} with the refusal of the budget that stays closed longest
 */
export async function reserve(store: Store, budgets: readonly Budget[]): Promise<Reservation> {
  const answers = await store.increment(budgets);
  const release = (granted: readonly Budget[]) => giveBack(store, granted);

  const outcomes = budgets.map((budget, index) => ({ budget, answer: answers[index] }));
  const [refused] = outcomes
    .filter(({ answer }) => !answer?.granted)
    .sort((left, right) => (right.answer?.secondsLeft ?? 0) - (left.answer?.secondsLeft ?? 0));
  if (!refused) return { release: () => release(budgets) };

  await release(outcomes.filter(({ answer }) => answer?.granted).map(({ budget }) => budget));
  throw new DoorcodeError(refused.budget.refusal, {
    retryAfterSeconds: Math.max(1, Math.ceil(refused.answer?.secondsLeft ?? refused.budget.ttlSeconds)),
  });
}

async function giveBack(store: Store, budgets: readonly Budget[]): Promise<void> {
  if (budgets.length > 0) await store.increment(budgets.map((budget) => ({ ...budget, by: -budget.by })));
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
      const perPhone = limits.sendsPerPhone;
      return [
        ...(limits.cooldownSeconds > 0
          ? [
              {
                key: `${name}:cooldown:${phone}`,
                by: 1,
                limit: 1,
                ttlSeconds: limits.cooldownSeconds,
                refusal: "cooldown",
              } as const,
            ]
          : []),
        {
          key: `${name}:sends:${phone}`,
          by: 1,
          limit: perPhone,
          ttlSeconds: limits.sendWindowSeconds,
          refusal: "send_limit_reached",
        },
      ];
    },
    attempt: (transactionKey) => ({
      key: `${transactionKey}:attempts`,
      by: 1,
      limit: limits.attemptsPerTransaction,
      // Outlives every transaction: a counter that forgot first would give its attempts back.
      ttlSeconds: longestTransactionSeconds + 120,
    }),
    failure: (phone) => [
      {
        key: `${name}:failures:${phone}`,
        by: 1,
        limit: limits.failuresPerPhone,
        ttlSeconds: oneDay,
        renew: true,
        refusal: "too_many_failures",
      },
      {
        key: `${name}:failures-gate:${phone}`,
        by: 1,
        limit: limits.failuresPerPhoneInTenMinutes,
        ttlSeconds: tenMinutes,
        refusal: "too_many_failures",
      },
    ],
  };
}
