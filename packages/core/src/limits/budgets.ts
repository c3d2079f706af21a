import type { CounterChange, CounterState, Store } from "../store/store.ts";
import { DoorcodeError, type ErrorCode } from "../util/errors.ts";
import type { KnownDevice } from "./known-devices.ts";
import type { LoginLimits } from "./login-limits.ts";
import type { CounterQuery } from "./query.ts";

/** A share of something limited, and the error when nothing of it is left. */
export interface Budget extends CounterChange {
  readonly refusal: ErrorCode;
  /** True for a limit that is not worth waiting for: its refusal has no `Retry-After`. */
  readonly closes?: boolean;
  /** True for a pause: a budget that is used up makes the next share wait, and is no refusal yet. */
  readonly isPause?: boolean;
}

/** The dependencies of budgets. */
export interface BudgetDeps {
  /** The prefix of the app's keys in the store. */
  readonly name: string;
  readonly limits: LoginLimits;
}

/** The owner of budgets: a number for everybody, or for devices that have proven it. Strangers cannot use up what the devices have. */
export interface BudgetOwner {
  /** The keyed digest of the canonical number, so that no spelling has budgets of its own. */
  readonly phoneFingerprint: string;
  readonly knownDevice?: KnownDevice | undefined;
}

/**
 * Returns the name under which an owner's counters stand in the store. The device that has proven the number last has its own, and all
 * other known devices have theirs together: no former holder of the number uses up what its owner has.
 */
export function nameOf({ phoneFingerprint, knownDevice }: BudgetOwner): string {
  return knownDevice === undefined ? phoneFingerprint : `${phoneFingerprint}.${knownDevice}`;
}

/** What budgets say. */
export interface BudgetStates {
  /** The refusal of the budget that stays closed longest; `undefined` when every share was granted. */
  readonly refusal: DoorcodeError | undefined;
  /** The shares that were granted. */
  readonly granted: readonly Budget[];
  /** The count of the first budget, with this share if it was reserved. */
  readonly count: number;
  /** The time until the pauses let another share be taken. */
  readonly pauseSeconds: number;
}

/**
 * Returns the query that reserves a share of each budget.
 *
 * @param by - 0 only looks at them.
 */
export function budgetQuery(budgets: readonly Budget[], by: 0 | 1 = 1): CounterQuery<BudgetStates> {
  return {
    changes: by === 0 ? budgets.map((budget) => ({ ...budget, by })) : budgets,
    read: (states) => ({
      refusal: refusalOf(budgets, by === 0 ? states.map((state, index) => lookedAt(state, budgets[index])) : states),
      granted: by === 0 ? [] : grantedOf(budgets, states),
      count: states[0]?.count ?? 0,
      pauseSeconds: Math.max(0, ...budgets.map((budget, index) => waitAfter(budget, states[index]))),
    }),
  };
}

/** Returns the state that tells whether a share would be granted: a store grants every change by 0. */
export function lookedAt(state: CounterState, budget: Budget | undefined): CounterState {
  return { ...state, granted: state.count < (budget?.limit ?? Number.POSITIVE_INFINITY) };
}

/** Returns the time that the next share has to wait for a pause. */
export function waitAfter({ isPause, limit }: Budget, state: CounterState | undefined): number {
  return isPause && state?.count === limit ? (state?.secondsLeft ?? 0) : 0;
}

/** Returns the shares that were granted. */
function grantedOf(budgets: readonly Budget[], states: readonly CounterState[]): readonly Budget[] {
  return budgets.filter((_, index) => states[index]?.granted);
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
export function refusalOf(budgets: readonly Budget[], states: readonly CounterState[]): DoorcodeError | undefined {
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
