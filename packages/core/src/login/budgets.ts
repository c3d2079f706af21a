import { DoorcodeError, type ErrorCode } from "../primitives/errors.ts";
import type { CounterChange, Store } from "../store/store.ts";

/** The limits of a login. Zero means zero: no cooldown, or not a single send. */
export interface LoginLimits {
  /** Seconds between two codes to one number. Default: 30. */
  readonly cooldownSeconds: number;
  /** Codes to one number within `sendWindowSeconds`, all purposes and channels together. Default: 5. */
  readonly sendsPerPhone: number;
  /** The window of `sendsPerPhone`, in seconds. Default: 3600. */
  readonly sendWindowSeconds: number;
  /** Codes that may be tried in one login. Default: 5. */
  readonly attemptsPerTransaction: number;
  /** Wrong codes for one number in a row, over all logins. The number is closed then, for 400 days. Default: 100. */
  readonly failuresPerPhone: number;
  /** Wrong codes for one number within ten minutes. Default: 10. */
  readonly failuresPerPhoneInTenMinutes: number;
}

/** A share of something limited, and the error when nothing of it is left. */
export interface Budget extends CounterChange {
  readonly refusal: ErrorCode;
  /** True for a limit that is not worth waiting for: its refusal has no `Retry-After`. */
  readonly closes?: boolean;
}

/** The dependencies of budgets. */
interface BudgetDeps {
  /** The prefix of the app's keys in the store. */
  readonly name: string;
  readonly limits: LoginLimits;
}

/** Returns the budgets of one code to a number. They are keyed by the canonical number, so no spelling has its own. */
export function sendBudgets({ name, limits }: BudgetDeps, phoneFingerprint: string): readonly Budget[] {
  const inWindow: Budget = {
    key: `${name}:sends:${phoneFingerprint}`,
    by: 1,
    limit: limits.sendsPerPhone,
    ttlSeconds: limits.sendWindowSeconds,
    refusal: "send_limit_reached",
  };
  const cooldown: Budget = {
    key: `${name}:cooldown:${phoneFingerprint}`,
    by: 1,
    limit: 1,
    ttlSeconds: limits.cooldownSeconds,
    // Each code waits for the one before it, even if a share was given back in between.
    renew: true,
    refusal: "cooldown",
  };
  return limits.cooldownSeconds === 0 ? [inWindow] : [cooldown, inWindow];
}

const tenMinutes = 600;
/** A limit that opened again each day would allow 36,500 guesses a year: for a code of six digits, 3.6 % of them right. */
const closedSeconds = 34_560_000;

/** Returns the budgets of one wrong code for a number: a hard limit, and before it a gate that slows down. */
export function failureBudgets({ name, limits }: BudgetDeps, phoneFingerprint: string): readonly Budget[] {
  const inARow: Budget = {
    key: `${name}:failures:${phoneFingerprint}`,
    by: 1,
    limit: limits.failuresPerPhone,
    ttlSeconds: closedSeconds,
    renew: true,
    refusal: "phone_closed",
    closes: true,
  };
  const gate: Budget = {
    key: `${name}:failures-gate:${phoneFingerprint}`,
    by: 1,
    limit: limits.failuresPerPhoneInTenMinutes,
    ttlSeconds: tenMinutes,
    refusal: "too_many_failures",
  };
  return [inARow, gate];
}

/**
 * Reserves one share of each budget. When one refuses, the granted shares are given back.
 *
 * @throws {@link DoorcodeError} with the refusal of the budget that stays closed longest
 */
export async function reserve(store: Store, budgets: readonly Budget[]): Promise<void> {
  const states = await store.increment(budgets);
  const granted = budgets.filter((_, index) => states[index]?.granted);
  if (granted.length === budgets.length) return;

  await giveBack(store, granted);
  const [longest] = budgets
    .flatMap((budget, index) => {
      const state = states[index];
      // A budget of zero has no counter, and so no instant at which it opens again.
      return state?.granted ? [] : [{ ...budget, waitSeconds: state?.secondsLeft || budget.ttlSeconds }];
    })
    .sort((left, right) => right.waitSeconds - left.waitSeconds);
  if (!longest) return;
  const { refusal, closes, waitSeconds } = longest;
  throw new DoorcodeError(refusal, closes ? {} : { retryAfterSeconds: Math.ceil(waitSeconds) });
}

/** Gives back shares that were reserved for something that did not happen. */
export async function giveBack(store: Store, shares: readonly CounterChange[]): Promise<void> {
  if (shares.length > 0) await store.increment(shares.map(givenBack));
}

/** Returns the change that gives a share back. */
export function givenBack(share: CounterChange): CounterChange {
  // Giving back is no reason to remember for longer.
  return { ...share, by: -share.by, renew: false };
}

/** Returns the change that empties a counter: counters stop at zero. */
export function emptied(share: CounterChange): CounterChange {
  return { ...share, by: -Number.MAX_SAFE_INTEGER, renew: false };
}
