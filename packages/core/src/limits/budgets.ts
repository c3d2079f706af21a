import type { CounterChange, CounterState, Store } from "../store/store.ts";
import { DoorcodeError, type ErrorCode } from "../util/errors.ts";

/** A share of something limited, and the error when nothing of it is left. */
export interface Budget extends CounterChange {
  /** Left out for a counter that refuses nothing. */
  readonly refusal?: ErrorCode;
  /** The time that its refusal names. Default: until the counter expires. */
  readonly waitSeconds?: number;
  /** True for a limit that is not worth waiting for: its refusal has no `Retry-After`. */
  readonly closes?: true;
}

/** A counter, and what the store has answered about it. */
export type Answered<Counter extends CounterChange> = Counter & CounterState;

/** Joins counters and their states. The store returns a state for each counter, in the same order. */
export function withStates<Counter extends CounterChange>(
  counters: readonly Counter[],
  states: readonly CounterState[],
): readonly Answered<Counter>[] {
  return counters.map((counter, index) => ({ ...counter, ...(states[index] as CounterState) }));
}

/** Returns the refusal of the budget that stays closed longest; `undefined` when every share was granted. */
export function refusalOf(budgets: readonly Answered<Budget>[]): DoorcodeError | undefined {
  const [longest] = budgets
    .filter((budget) => !hasShare(budget))
    .flatMap(({ refusal, closes, waitSeconds, secondsLeft, ttlSeconds }) => {
      // A budget of zero has no counter, and so no instant at which it opens again.
      return refusal ? [{ refusal, closes, waitSeconds: waitSeconds ?? (secondsLeft || ttlSeconds) }] : [];
    })
    .sort((left, right) => right.waitSeconds - left.waitSeconds);
  if (!longest) return undefined;
  const { refusal, closes, waitSeconds } = longest;
  return new DoorcodeError(refusal, closes ? {} : { retryAfterSeconds: Math.ceil(waitSeconds) });
}

/** A store grants every change by 0, which only tells what a share would meet. */
function hasShare({ by, granted, count, limit = Number.POSITIVE_INFINITY }: Answered<Budget>): boolean {
  return by === 0 ? count < limit : granted;
}

/**
 * Reserves one share of each budget. When one refuses, the granted shares are given back.
 *
 * @throws {@link DoorcodeError} with the refusal of the budget that stays closed longest
 */
export async function reserve(store: Store, budgets: readonly Budget[]): Promise<void> {
  const answered = withStates(budgets, await store.increment(budgets));
  const refusal = refusalOf(answered);
  if (!refusal) return;
  const granted = answered.filter((budget) => budget.granted);
  await giveBack(store, granted);
  throw refusal;
}

/** Gives back shares that were reserved for something that did not happen. */
export async function giveBack(store: Store, shares: readonly CounterChange[]): Promise<void> {
  if (shares.length > 0) await store.increment(shares.map(givenBack));
}

/** Returns the change that gives a share back. Giving back is no reason to remember for longer. */
export function givenBack({ key, by, ttlSeconds }: CounterChange): CounterChange {
  return { key, by: -by, ttlSeconds };
}

/** Returns the change that empties a counter: counters stop at zero. */
export function emptied({ key, ttlSeconds }: CounterChange): CounterChange {
  return { key, by: -Number.MAX_SAFE_INTEGER, ttlSeconds };
}
