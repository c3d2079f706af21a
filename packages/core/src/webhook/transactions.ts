import { type Clock, wait } from "../clock.ts";
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
   * The store whose `settle` takes part. `createDoorcode` must be given the same: in another one nobody holds the lease, so
   * that no event would ever be marked as handled.
   */
  readonly store: Pick<Store, "settle">;
  /**
   * Runs work in a transaction in which `settle` takes part: commits when it resolves to true, else rolls back. It may run
   * the work again, in another one, when the database rolled it back for a conflict with others.
   *
   * Rejects with what the work rejects with, after rolling back; with `handler_failed` when the transaction was surely
   * rolled back for what the work did in it; and with anything else when it could not be begun, or nobody knows its end.
   *
   * @param signal - aborts when the work is given up. The transaction is rolled back at once, whatever the work still does,
   * and `run` rejects with the reason.
   */
  run(work: (scope: Scope, settle: Settle) => Promise<boolean>, signal: AbortSignal): Promise<boolean>;
}

/** Runs the handler first and the completion after it, each on its own. */
export function withoutTransactions(store: Pick<Store, "settle">): EventTransactions<unknown> {
  return { store, run: (work) => work({}, (...given) => store.settle(...given)) };
}

/** For about as long as the lease surely holds: after it another worker may run the handler again. */
const pausesMilliseconds = [500, 1000, 2000, 4000];

/**
 * Settles as the store does, and asks again while it is away: the handler has done its work, and would have to do it once
 * more if that were forgotten. To ask again is safe: once it was done, or somebody else took over, the answer is false.
 */
export function settlePatiently(store: Store, clock: Clock): Pick<Store, "settle"> {
  return {
    async settle(...given) {
      for (const pause of pausesMilliseconds) {
        try {
          return await store.settle(...given);
        } catch {
          await wait(clock, pause);
        }
      }
      return store.settle(...given);
    },
  };
}
