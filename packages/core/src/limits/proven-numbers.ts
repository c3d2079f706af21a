import type { CounterQuery } from "./query.ts";

/** What the kit remembers of a number's proofs. */
export interface NumberPast {
  /** The time since the number was first proven; `undefined` if it never was, or longer ago than the kit remembers. */
  readonly firstProvenSecondsAgo: number | undefined;
  /** The time since it was last proven. */
  readonly lastProvenSecondsAgo: number | undefined;
}

/** The time for which a device is remembered that has proven a number: 180 days after the last proof. */
export const deviceSeconds = 15_552_000;

/** Returns the query that tells whether a device has proven a number, or that remembers that it has. */
export function deviceQuery(
  prefix: string,
  phoneFingerprint: string,
  device: string,
  by: 0 | 1,
): CounterQuery<{ readonly isKnown: boolean }> {
  return {
    changes: [{ key: `${prefix}:device:${phoneFingerprint}:${device}`, by, ttlSeconds: deviceSeconds, renew: true }],
    read: ([proofs]) => ({ isKnown: (proofs?.count ?? 0) > 0 }),
  };
}

/** The time for which a proof is remembered: 400 days. */
export const rememberedSeconds = 34_560_000;

const daySeconds = 86_400;
/** A known number is known for so many codes a day. More could be an attacker's own number. */
const codesOfKnownNumber = 3;

/** Tells whether a number was proven a day ago or longer, so that an attacker's own numbers help nothing at once. */
export function isKnownNumber({ firstProvenSecondsAgo = 0 }: NumberPast, sendsToday: number): boolean {
  return firstProvenSecondsAgo >= daySeconds && sendsToday <= codesOfKnownNumber;
}

/** Tells whether a number was proven within a day: a person counts once a day. */
export function wasProvenToday({ lastProvenSecondsAgo }: NumberPast): boolean {
  return lastProvenSecondsAgo !== undefined && lastProvenSecondsAgo < daySeconds;
}

/** Returns when a number was last proven, as Unix milliseconds, to a second. */
export function lastProvenAtOf({ lastProvenSecondsAgo }: NumberPast, now: number): number | undefined {
  return lastProvenSecondsAgo === undefined ? undefined : now - lastProvenSecondsAgo * 1000;
}

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
