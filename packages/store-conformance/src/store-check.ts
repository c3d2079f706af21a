import type { Store } from "@doorcode/core/store";

/** The return value of a function that may be asynchronous. */
type Awaitable<Value> = Promise<Value> | Value;

/** The tools that every check needs. */
export interface StoreCheckTools {
  /**
   * Lets that much time pass on the store's clock, or a little more. It advances a manual clock, or waits if the clock
   * is a server's.
   */
  readonly advance: (milliseconds: number) => Promise<void>;
}

/** The tools of `clockSkewConformance`. */
export interface ClockSkewTools extends StoreCheckTools {
  /**
   * Sets the clock of the app, not the store's, ahead of the correct time, or behind it with a number below 0. With 0
   * the clock is correct again. For a store that gets no clock from the app, the app's clock is `Date`.
   */
  readonly skewApp: (milliseconds: number) => Awaitable<void>;
}

/** The tools of `connectionLossConformance`. */
export interface ConnectionLossTools extends StoreCheckTools {
  /** The connection between the store and its server. */
  readonly connection: BreakableConnection;
  /** The maximum time in which a call must settle, and in which the store must work again after `restore`. */
  readonly settlesWithinSeconds: number;
}

/** The connection between a store and its server, such as a TCP proxy. A function resolves once it has taken effect. */
export interface BreakableConnection {
  /** Closes every connection, and each new one immediately, until `restore`. */
  cut(): Awaitable<void>;
  /** Forwards requests but holds back answers, until `restore` delivers them late. */
  holdAnswers(): Awaitable<void>;
  /** Drops the next answer of the server and closes its connection. The server has made the change. */
  loseAnswer(): Awaitable<void>;
  /** Ends the fault, for existing connections and new ones. */
  restore(): Awaitable<void>;
}

/** A check of one promise of {@link Store}. */
export interface StoreCheck<Tools = StoreCheckTools> {
  /** The promise, as the title of a test. */
  readonly title: string;
  /** Checks a store. Rejects with an error that says which promise is broken. Writes only its own keys. */
  readonly check: (store: Store, tools: Tools) => Promise<void>;
}
