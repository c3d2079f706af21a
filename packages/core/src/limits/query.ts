import type { CounterChange, CounterState, Store } from "../store/store.ts";

/** Changes of counters, and what their states say. Several queries travel to the store together. */
export interface CounterQuery<Result> {
  readonly changes: readonly CounterChange[];
  /** Reads the states of the changes, which are in the same order. */
  read(states: readonly CounterState[]): Result;
}

/** The results of queries, in their order. */
type Results<Queries extends readonly CounterQuery<unknown>[]> = {
  [Index in keyof Queries]: Queries[Index] extends CounterQuery<infer Result> ? Result : never;
};

/** Asks several queries in one call of the store. */
export async function askTogether<const Queries extends readonly CounterQuery<unknown>[]>(
  store: Store,
  queries: Queries,
): Promise<Results<Queries>> {
  const states = await store.increment(queries.flatMap(({ changes }) => changes));
  let next = 0;
  const results = queries.map(({ changes, read }) => {
    const begin = next;
    next += changes.length;
    return read(states.slice(begin, next));
  });
  return results as Results<Queries>;
}
