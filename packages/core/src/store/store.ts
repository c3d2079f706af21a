/** One counter of a list given to {@link Store.increment}. */
export interface CounterChange {
  readonly key: string;
  /** How much to add; below zero gives back and stops at 0; zero only reads. */
  readonly by: number;
  /** Granted only while `count + by` stays within it; `Number.MAX_SAFE_INTEGER` when left out, and at the most. */
  readonly limit?: number;
  /** Lifetime of the counter in whole seconds, from its creation. */
  readonly ttlSeconds: number;
  /** The lifetime begins anew with every granted change. */
  readonly renew?: boolean;
}

/** What became of one {@link CounterChange}. */
export interface CounterState {
  /** False when the limit stood in the way; the counter is then unchanged. */
  readonly granted: boolean;
  /** The count afterwards; 0 for a counter that does not exist. */
  readonly count: number;
  /** Until the counter forgets; 0 for one that does not exist. */
  readonly secondsLeft: number;
}

/** What {@link Store.lease} found. */
export interface LeaseState {
  readonly held: boolean;
  /** The value as it stands, whoever holds it. */
  readonly value: string | undefined;
}

/**
 * Where everything single-use, counted, fenced or ordered is kept: five verbs, each atomic on a key.
 *
 * Keys, tokens and values are well-formed Unicode of any characters and none, U+0000 too. They come back as they were
 * given, and two are the same only when JavaScript says so. Keys have up to 4,096 bytes, values a megabyte and more.
 *
 * Lifetimes, windows and leases run on the store's own clock, in whole seconds above 0; every write sets the lifetime of
 * its entry anew. Arguments other than these reject with a `TypeError`, and nothing is written, of a whole list too.
 *
 * A verb that cannot be carried out, or has no answer in time, rejects: the kit then fails closed with
 * `store_unavailable`. What it was to change is then changed once or not at all, so nothing is sent again, or later.
 * `storeConformance` of `@doorcode/core/store-conformance` checks an implementation.
 */
export interface Store {
  /** Answers the live values in the order of the keys, `undefined` where there is none. Keys need not be read at one instant. */
  get(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** Writes; the last writer wins, and a lease on the key ends. `undefined` deletes the entry, a counter too. */
  put(key: string, value: string | undefined, options: { readonly ttlSeconds: number }): Promise<void>;
  /** Changes counters, each atomic on its own; the list as a whole is not. */
  increment(changes: readonly CounterChange[]): Promise<readonly CounterState[]>;
  /**
   * Takes or renews the right to `settle` a key: held when nobody holds it, when the lease ran out, or when `token`
   * holds it already. Works on an absent key. The entry lives for `ttlSeconds` when held, and is untouched when not.
   */
  lease(
    key: string,
    token: string,
    options: { readonly leaseSeconds: number; readonly ttlSeconds: number },
  ): Promise<LeaseState>;
  /**
   * Writes only while `token` is the key's last holder, even late if nobody took over; `undefined` deletes. The lease
   * ends with it, unless `hold`. False means nothing was written: this is the fence that keeps a slow worker from
   * overwriting the work of its successor.
   */
  settle(
    key: string,
    token: string,
    value: string | undefined,
    options: { readonly ttlSeconds: number; readonly hold?: boolean },
  ): Promise<boolean>;
}
