/** A change of one counter, for {@link Store.increment}. */
export interface CounterChange {
  /** The key of the counter. */
  readonly key: string;
  /** The number to add. A number below 0 subtracts, down to 0, where the counter ends. With 0 the counter is only read. */
  readonly by: number;
  /** The change is granted only if `count + by` is at most this. Default and maximum: `Number.MAX_SAFE_INTEGER`. */
  readonly limit?: number;
  /** The lifetime of the counter in whole seconds, from its creation; one that has ended is created anew. */
  readonly ttlSeconds: number;
  /** True to restart the lifetime with every granted change. Default: false. */
  readonly renew?: boolean;
}

/** The state of a counter after a {@link CounterChange}. */
export interface CounterState {
  /** False if the limit refused the change. The counter is then unchanged. */
  readonly granted: boolean;
  /** The count after the change; 0 for a counter that does not exist. */
  readonly count: number;
  /** The seconds until the counter expires; 0 for a counter that does not exist. */
  readonly secondsLeft: number;
}

/** The result of {@link Store.lease}. */
export interface LeaseState {
  /** True if the caller's token now holds the lease. */
  readonly held: boolean;
  /** The current value, whether the lease is held or not. */
  readonly value: string | undefined;
}

/**
 * A store for everything that is single-use, counted, leased or ordered: five functions, each atomic for one key.
 *
 * Keys, tokens and values are well-formed Unicode of any characters, including U+0000 and the empty text. The store returns them unchanged,
 * and two texts are the same only if they are equal in JavaScript. The store takes keys of up to 4,096 bytes, and values of a megabyte and
 * more.
 *
 * Lifetimes, windows and leases run on the store's own clock, in whole seconds above 0. Every put, lease and settle restarts the lifetime
 * of its entry. Any other argument rejects with a `TypeError`, and nothing is written, not even part of a list.
 *
 * A call that fails or has no answer in time rejects, and the kit fails closed with `store_unavailable`. The change was then made once or
 * not at all, and is never sent again or later. `storeConformance` of `@doorcode/store-conformance` checks an implementation.
 */
export interface Store {
  /** Returns the live values in the order of the keys, `undefined` for an absent one. The values need not be read at the same instant. */
  get(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  /**
   * Writes a value. The last write wins. It ends a lease of the key, and replaces a counter. `undefined` deletes the entry, also a counter.
   *
   * @param options.ttlSeconds - the lifetime of the entry.
   */
  put(key: string, value: string | undefined, options: { readonly ttlSeconds: number }): Promise<void>;
  /** Changes counters and returns their states in the same order. Each change is atomic, the list is not. */
  increment(changes: readonly CounterChange[]): Promise<readonly CounterState[]>;
  /**
   * Takes or renews a lease, the right to `settle` a key. `token` gets the lease if no other token holds it, or if the
   * other lease ran out. The key may be absent. A refused lease changes nothing, not even the lifetime.
   *
   * @param options.leaseSeconds - the length of the lease.
   * @param options.ttlSeconds - the lifetime of the entry.
   */
  lease(
    key: string,
    token: string,
    options: { readonly leaseSeconds: number; readonly ttlSeconds: number },
  ): Promise<LeaseState>;
  /**
   * Writes a value if `token` is the key's last holder: even after its lease ran out, until another token takes over.
   * `undefined` deletes. This ends the lease, unless `hold` is true. Returns false if nothing was written. This is the
   * fence: a slow process cannot overwrite the work of its successor.
   *
   * @param options.ttlSeconds - the lifetime of the entry.
   * @param options.hold - true to keep the lease until it runs out. Default: false.
   */
  settle(
    key: string,
    token: string,
    value: string | undefined,
    options: { readonly ttlSeconds: number; readonly hold?: boolean },
  ): Promise<boolean>;
  /** Ends the connections and timers that the store has made, and nothing of the app. `doorcode.close()` calls it last. */
  close?(): Promise<void>;
}
