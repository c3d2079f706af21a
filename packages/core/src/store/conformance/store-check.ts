import type { Awaitable } from "../../primitives/awaitable.ts";
import type { Store } from "../store.ts";

/** What a check needs beside the store. */
export interface StoreCheckTools {
  /**
   * Lets that much time pass on the store's own clock, or a little more: moves a manual clock, or really waits where
   * the clock is a server's.
   */
  readonly advance: (milliseconds: number) => Promise<void>;
}

/** What the checks of the clocks need besides. */
export interface ClockSkewTools extends StoreCheckTools {
  /**
   * Sets the clock of the app, and not the store's, so far ahead of the right time; behind it when below 0. Called with 0
   * it is right again. Where the store is given no clock, that is `Date`.
   */
  readonly skewApp: (milliseconds: number) => Awaitable<void>;
}

/** What the checks of a lost connection need besides. */
export interface ConnectionLossTools extends StoreCheckTools {
  readonly connection: Wire;
  /** By then a verb has settled, whatever becomes of the connection; and works again, counted from `restore`. */
  readonly settlesWithinSeconds: number;
}

/** The way between a store and its server, such as a proxy of TCP. Each act resolves when it is so. */
export interface Wire {
  /** Ends every connection, and ends each new one at once, until `restore`. */
  cut(): Awaitable<void>;
  /** Lets through what the store says, and keeps back what the server says, until `restore` delivers it late. */
  holdAnswers(): Awaitable<void>;
  /** Drops the next answer of the server and ends its connection: the server has done it, and nobody learns of it. */
  loseAnswer(): Awaitable<void>;
  /** All is well again, for the connections that are left and for new ones. */
  restore(): Awaitable<void>;
}

/** One sentence of the contract of {@link Store}, and how to see whether a store keeps it. */
export interface StoreCheck<Tools = StoreCheckTools> {
  readonly title: string;
  /** Rejects with an Error that says which promise is broken. Writes only under keys of its own. */
  readonly check: (store: Store, tools: Tools) => Promise<void>;
}
