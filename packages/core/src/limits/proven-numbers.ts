import type { CounterChange } from "../store/store.ts";
import { emptied } from "./budgets.ts";
import { forgettingDevices } from "./known-devices.ts";
import type { CounterQuery } from "./query.ts";

/** What the kit remembers of a number's proofs. */
export interface NumberPast {
  /** The time since a login, a link or a step-up first proved the number; `undefined` if none did, or longer ago than the kit remembers. */
  readonly firstProvenSecondsAgo: number | undefined;
  /** The time since one last proved it. */
  readonly lastProvenSecondsAgo: number | undefined;
  /** True if it was proven within a day by a `verify`, which tells nothing about the owner of an account. */
  readonly verifiedToday: boolean;
}

/** What is added to the past of a number. */
export type AddedProof = "nothing" | "login" | "verify";

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
export function wasProvenToday({ lastProvenSecondsAgo, verifiedToday }: NumberPast): boolean {
  return verifiedToday || (lastProvenSecondsAgo !== undefined && lastProvenSecondsAgo < daySeconds);
}

/** Returns when a number was last proven, as Unix milliseconds, to a second. */
export function lastProvenAtOf({ lastProvenSecondsAgo }: NumberPast, now: number): number | undefined {
  return lastProvenSecondsAgo === undefined ? undefined : now - lastProvenSecondsAgo * 1000;
}

/**
 * Returns the query that reads the past of a number, or adds a proof to it.
 *
 * A `verify` shows that a person has the number, and not whose account it is: the next owner of a number must not make it look
 * like one that is in use by a form without an account.
 */
export function numberPastQuery(
  prefix: string,
  phoneFingerprint: string,
  added: AddedProof = "nothing",
): CounterQuery<NumberPast> {
  // The store tells how long a counter still lives, and so when it began.
  const secondsAgo = (state: { readonly count: number; readonly secondsLeft: number } | undefined) =>
    state && state.count > 0 ? rememberedSeconds - state.secondsLeft : undefined;
  return {
    changes: pastOf(prefix, phoneFingerprint, added),
    read: ([first, last, verified]) => ({
      firstProvenSecondsAgo: secondsAgo(first),
      lastProvenSecondsAgo: secondsAgo(last),
      verifiedToday: (verified?.count ?? 0) > 0,
    }),
  };
}

function pastOf(prefix: string, phoneFingerprint: string, added: AddedProof): readonly CounterChange[] {
  const key = `${prefix}:proven:${phoneFingerprint}`;
  return [
    { key: `${key}:first`, by: added === "login" ? 1 : 0, ttlSeconds: rememberedSeconds },
    { key: `${key}:last`, by: added === "login" ? 1 : 0, ttlSeconds: rememberedSeconds, renew: true },
    { key: `${key}:verified`, by: added === "verify" ? 1 : 0, ttlSeconds: daySeconds, renew: true },
  ];
}

/** Returns the changes that forget the past of a number and its devices: numbers change hands. */
export function forgettingChanges(prefix: string, phoneFingerprint: string): readonly CounterChange[] {
  return [...pastOf(prefix, phoneFingerprint, "login").map(emptied), forgettingDevices(prefix, phoneFingerprint)];
}
