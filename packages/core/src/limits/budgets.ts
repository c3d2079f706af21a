import { DoorcodeError, type ErrorCode } from "../primitives/errors.ts";
import type { CounterChange, CounterState, Store } from "../store/store.ts";
import type { LoginLimits } from "./login-limits.ts";
import type { CounterQuery } from "./query.ts";

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

const daySeconds = 86_400;

/** The owner of budgets: a number, or a number together with a device that has proven it, which strangers cannot use up. */
export interface BudgetOwner {
  /** The keyed digest of the canonical number, so that no spelling has budgets of its own. */
  readonly phoneFingerprint: string;
  /** The digest of the device's id. */
  readonly device?: string | undefined;
}

function nameOf({ phoneFingerprint, device }: BudgetOwner): string {
  return device === undefined ? phoneFingerprint : `${phoneFingerprint}.${device}`;
}

/** Returns the budgets of one code to a number. */
export function sendBudgets({ name, limits }: BudgetDeps, owner: BudgetOwner): readonly Budget[] {
  const ownerName = nameOf(owner);
  const ofDay: Budget = {
    key: `${name}:sends-of-day:${ownerName}`,
    by: 1,
    limit: owner.device === undefined ? limits.sendsPerPhonePerDay : limits.sendsPerDevicePerDay,
    ttlSeconds: daySeconds,
    refusal: "send_limit_reached",
  };
  const inWindow: Budget = {
    key: `${name}:sends:${ownerName}`,
    by: 1,
    limit: limits.sendsPerPhone,
    ttlSeconds: limits.sendWindowSeconds,
    refusal: "send_limit_reached",
  };
  // After the first code one may be sent in the first pause, after the second code two in the second pause, and so on.
  const cooldowns = limits.cooldownSeconds.map(
    (ttlSeconds, index): Budget => ({
      key: `${name}:cooldown:${index + 1}:${ownerName}`,
      by: 1,
      limit: index + 1,
      ttlSeconds,
      // Each code waits for the one before it, even if a share was given back in between.
      renew: true,
      refusal: "cooldown",
    }),
  );
  return [ofDay, inWindow, ...cooldowns.filter(({ ttlSeconds }) => ttlSeconds > 0)];
}

/** What the budgets of a code say. */
export interface BudgetStates {
  /** The refusal of the budget that stays closed longest; `undefined` when every share was granted. */
  readonly refusal: DoorcodeError | undefined;
  /** The shares that were granted. */
  readonly granted: readonly Budget[];
  /** The codes of today, this one included. */
  readonly sendsToday: number;
  /** The time until another code may be sent. */
  readonly cooldownSeconds: number;
}

/**
 * Returns the query that reserves a share of each of the {@link sendBudgets}.
 *
 * @param isTentative - true to only look at them.
 */
export function budgetQuery(budgets: readonly Budget[], isTentative = false): CounterQuery<BudgetStates> {
  return {
    changes: isTentative ? budgets.map((budget) => ({ ...budget, by: 0 })) : budgets,
    read: (states) => ({
      refusal: refusalOf(budgets, states),
      granted: isTentative ? [] : grantedOf(budgets, states),
      sendsToday: (states[0]?.count ?? 0) + (isTentative ? 1 : 0),
      cooldownSeconds: Math.max(0, ...budgets.map((budget, index) => waitAfter(budget, states[index]))),
    }),
  };
}

/** Returns the time that the next code has to wait for a cooldown. */
function waitAfter({ refusal, limit }: Budget, state: CounterState | undefined): number {
  return refusal === "cooldown" && state?.count === limit ? (state?.secondsLeft ?? 0) : 0;
}

function grantedOf(budgets: readonly Budget[], states: readonly CounterState[]): readonly Budget[] {
  return budgets.filter((_, index) => states[index]?.granted);
}

const tenMinutes = 600;
/** A limit that opened again each day would allow 36,500 guesses a year: for a code of six digits, 3.6 % of them right. */
const closedSeconds = 34_560_000;

/** Returns the budgets of one wrong code for a number: a hard limit, and before it a gate that slows down. */
export function failureBudgets({ name, limits }: BudgetDeps, owner: BudgetOwner): readonly Budget[] {
  const ownerName = nameOf(owner);
  const inARow: Budget = {
    key: `${name}:failures:${ownerName}`,
    by: 1,
    limit: limits.failuresPerPhone,
    ttlSeconds: closedSeconds,
    renew: true,
    refusal: "phone_closed",
    closes: true,
  };
  const gate: Budget = {
    key: `${name}:failures-gate:${ownerName}`,
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
  const refusal = refusalOf(budgets, states);
  if (!refusal) return;
  await giveBack(store, grantedOf(budgets, states));
  throw refusal;
}

/** Returns the refusal of the budget that stays closed longest; `undefined` when every share was granted. */
function refusalOf(budgets: readonly Budget[], states: readonly CounterState[]): DoorcodeError | undefined {
  const [longest] = budgets
    .flatMap((budget, index) => {
      const state = states[index];
      // A budget of zero has no counter, and so no instant at which it opens again.
      return state?.granted ? [] : [{ ...budget, waitSeconds: state?.secondsLeft || budget.ttlSeconds }];
    })
    .sort((left, right) => right.waitSeconds - left.waitSeconds);
  if (!longest) return undefined;
  const { refusal, closes, waitSeconds } = longest;
  return new DoorcodeError(refusal, closes ? {} : { retryAfterSeconds: Math.ceil(waitSeconds) });
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
