import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../../src/primitives/clock.ts";
import type { CounterChange, CounterState, Store } from "../../../src/store/store.ts";

/** A way in which stores have been written wrong. */
export interface BrokenStore {
  /** Goes on after "a store that". */
  readonly fault: string;
  /** The title of the check that says it; the others that notice stand in `noticed.txt`. */
  readonly noticedBy: string;
  /** Makes the fault out of a store that has none. */
  readonly spoil: (store: Store, appClock: Clock) => Store;
}

/** Spoils what is counted, before or afterwards. */
export function counting(
  change: (change: CounterChange) => CounterChange,
  answer: (answer: CounterState) => CounterState = (given) => given,
): BrokenStore["spoil"] {
  return (store) => ({
    ...store,
    increment: async (changes) => (await store.increment(changes.map(change))).map(answer),
  });
}

/** Spoils the texts of every verb. */
export function writing(spoilt: {
  readonly key?: (key: string) => string;
  readonly value?: (value: string) => string;
}): BrokenStore["spoil"] {
  const { key: keyOf = same, value: rewrite = same } = spoilt;
  const written = (value: string | undefined) => (value === undefined ? undefined : rewrite(value));
  return (store) => ({
    get: (keys) => store.get(keys.map(keyOf)),
    put: (key, value, options) => store.put(keyOf(key), written(value), options),
    increment: (changes) => store.increment(changes.map((change) => ({ ...change, key: keyOf(change.key) }))),
    lease: (key, token, options) => store.lease(keyOf(key), token, options),
    settle: (key, token, value, options) => store.settle(keyOf(key), token, written(value), options),
  });
}

/** The moment between two steps, in which others come. */
export function betweenSteps(): Promise<void> {
  return setImmediate();
}

function same(text: string): string {
  return text;
}
