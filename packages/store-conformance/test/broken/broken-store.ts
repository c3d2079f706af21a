import { setImmediate } from "node:timers/promises";
import type { Clock, CounterChange, CounterState, Store } from "@doorcode/core/store";

/** A store with a known kind of fault. */
export interface BrokenStore {
  /** The fault, as the end of "a store that …". */
  readonly fault: string;
  /** Adds the fault to a correct store. */
  readonly spoil: (store: Store, appClock: Clock) => Store;
}

/** Creates a fault of `increment` that alters changes or states. */
export function counting(
  change: (change: CounterChange) => CounterChange,
  answer: (answer: CounterState) => CounterState = (given) => given,
): BrokenStore["spoil"] {
  return (store) => ({
    ...store,
    increment: async (changes) => (await store.increment(changes.map(change))).map(answer),
  });
}

/** Creates a fault that alters the keys or values of every function. */
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

/** Waits between two steps, so that other calls run in between. */
export function betweenSteps(): Promise<void> {
  return setImmediate();
}

function same(text: string): string {
  return text;
}
