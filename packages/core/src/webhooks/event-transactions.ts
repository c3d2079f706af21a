import type { Store } from "../store/store.ts";

/** The function that marks an event as handled: {@link Store.settle}, alone or within a database transaction. */
export type SettleFunction = Store["settle"];

/**
 * A database transaction around a handler and the mark of its event: both are committed, or neither is.
 *
 * @typeParam Scope - the members that handlers get besides the event and its signal, such as a database client.
 */
export interface EventTransactions<Scope> {
  /**
   * The store whose `settle` takes part. `createDoorcode` must get the same one: another store does not know the lease,
   * so no event would ever be marked as handled.
   */
  readonly store: Pick<Store, "settle">;
  /**
   * Runs work in a transaction in which `settle` takes part. Commits if the work resolves to true, else rolls back.
   * After a conflict with another transaction it may run the work again, in a new one.
   *
   * Rejects with the work's own error after rolling back; with `handler_failed` if the transaction was surely rolled
   * back because of what the work did in it; and with any other error if it could not be begun or its end is unknown.
   *
   * @param signal - aborts when the work is given up. The transaction is rolled back at once, whatever the work still
   * does, and `run` rejects with the signal's reason.
   */
  run(work: (scope: Scope, settle: SettleFunction) => Promise<boolean>, signal: AbortSignal): Promise<boolean>;
}
