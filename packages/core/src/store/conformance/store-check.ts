import type { Store } from "../store.ts";

/** What a check needs beside the store. */
export interface StoreCheckTools {
  /**
   * Lets that much time pass on the store's own clock, or a little more: moves a manual clock, or really waits where
   * the clock is a server's.
   */
  readonly advance: (milliseconds: number) => Promise<void>;
}

/** One sentence of the contract of {@link Store}, and how to see whether a store keeps it. */
export interface StoreCheck {
  readonly title: string;
  /** Rejects with an Error that says which promise is broken. Writes only under keys of its own. */
  readonly check: (store: Store, tools: StoreCheckTools) => Promise<void>;
}
