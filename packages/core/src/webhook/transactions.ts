import type { Store } from "../store/store.ts";

/** Marks what was handled, as {@link Store.settle} does. */
export type Settle = Store["settle"];

/**
 * Runs a handler and the completion of its event as one: both stand, or neither does.
 *
 * @typeParam Scope - what handlers get besides event and signal, such as the client of a database.
 */
export interface EventTransactions<Scope> {
  /**
   * Runs work in a transaction in which `settle` takes part: commits when it resolves to true, else rolls back.
   *
   * Rejects with what the work rejects with, after rolling back; with `handler_failed` when the work made its own
   * transaction unusable; and with anything else when the transaction could not be begun, or nobody knows its end.
   */
  run(work: (scope: Scope, settle: Settle) => Promise<boolean>): Promise<boolean>;
}

/** Runs the handler first and the completion after it, each on its own. */
export function withoutTransactions(store: Store): EventTransactions<unknown> {
  return { run: (work) => work({}, (...given) => store.settle(...given)) };
}

/** A store whose `settle` can be led into a transaction. */
export interface Completion {
  readonly store: Store;
  /** Runs an act during which the store settles by `settle`. */
  by<Result>(settle: Settle, act: () => Promise<Result>): Promise<Result>;
}

/** Wraps a store for one event. */
export function createCompletion(store: Store): Completion {
  const own: Settle = (...given) => store.settle(...given);
  let current = own;
  return {
    store: {
      get: (keys) => store.get(keys),
      put: (key, value, options) => store.put(key, value, options),
      increment: (changes) => store.increment(changes),
      lease: (key, token, options) => store.lease(key, token, options),
      settle: (...given) => current(...given),
    },
    async by(settle, act) {
      current = settle;
      try {
        return await act();
      } finally {
        current = own;
      }
    },
  };
}
