import type { CounterQuery } from "./query.ts";

/** What the kit remembers of a number's proofs. */
export interface NumberPast {
  /** The time since the number was first proven; `undefined` if it never was, or longer ago than the kit remembers. */
  readonly firstProvenSecondsAgo: number | undefined;
  /** The time since it was last proven. */
  readonly lastProvenSecondsAgo: number | undefined;
}

/** The time for which a proof is remembered: 400 days. */
const rememberedSeconds = 34_560_000;

/** Returns the query that reads the past of a number, or adds a proof to it. */
export function numberPastQuery(prefix: string, phoneFingerprint: string, by: 0 | 1): CounterQuery<NumberPast> {
  const key = `${prefix}:proven:${phoneFingerprint}`;
  // The store tells how long a counter still lives, and so when it began.
  const secondsAgo = (state: { readonly count: number; readonly secondsLeft: number } | undefined) =>
    state && state.count > 0 ? rememberedSeconds - state.secondsLeft : undefined;
  return {
    changes: [
      { key: `${key}:first`, by, ttlSeconds: rememberedSeconds },
      { key: `${key}:last`, by, ttlSeconds: rememberedSeconds, renew: true },
    ],
    read: ([first, last]) => ({ firstProvenSecondsAgo: secondsAgo(first), lastProvenSecondsAgo: secondsAgo(last) }),
  };
}
