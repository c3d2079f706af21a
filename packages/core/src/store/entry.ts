import type { CounterChange, CounterState, LeaseState, Store } from "./store.ts";

/** The entry of a key: a value, a counter, a lease, or several of them, until it expires. Instants are Unix milliseconds. */
export interface StoreEntry {
  readonly value?: string | undefined;
  readonly count?: number;
  /** The token of the last holder, until another token takes the lease, or the key is settled or put. */
  readonly holder?: string | undefined;
  readonly leasedUntil?: number;
  readonly expiresAt: number;
}

/**
 * Decides about the entry of a key, for an implementation of {@link Store} that reads and writes an entry in one transaction.
 *
 * @param found - the entry, or `undefined` if the key has none, or one that has expired.
 * @param now - the instant of the transaction, on the clock of the store.
 */
export type EntryRule<Answer> = (found: StoreEntry | undefined, now: number) => EntryDecision<Answer>;

/** The result of an {@link EntryRule}. */
export interface EntryDecision<Answer> {
  /** The answer to the caller. */
  readonly answer: Answer;
  /** The entry to write, `undefined` to delete it, or the same object as `found` to change nothing. */
  readonly next: StoreEntry | undefined;
}

/** Larger numbers are not exact in JavaScript. */
const maxCount = Number.MAX_SAFE_INTEGER;

/** Decides about one change of {@link Store.increment}, as an {@link EntryRule}. */
export function incrementEntry(
  found: StoreEntry | undefined,
  now: number,
  change: CounterChange,
): EntryDecision<CounterState> {
  const { by, limit = maxCount } = change;
  const granted = countOf(found) + by <= Math.min(limit, maxCount);
  const next = granted && by !== 0 ? changeCount(found, now, change) : found;
  // Rounded up, so that no client is told to retry before the counter expires.
  const secondsLeft = next ? Math.ceil((next.expiresAt - now) / 1000) : 0;
  return { answer: { granted, count: countOf(next), secondsLeft }, next };
}

function countOf(entry: StoreEntry | undefined): number {
  return entry?.count ?? 0;
}

function changeCount(
  found: StoreEntry | undefined,
  now: number,
  { by, ttlSeconds, renew = false }: CounterChange,
): StoreEntry | undefined {
  const count = Math.max(0, countOf(found) + by);
  // A counter ends at 0, so that the next change begins a new lifetime.
  const ends = count === 0 && found?.value === undefined && found?.holder === undefined;
  if (ends) return undefined;
  const expiresAt = found && !renew ? found.expiresAt : now + ttlSeconds * 1000;
  return { ...found, count, expiresAt };
}

/** Decides about {@link Store.lease}, as an {@link EntryRule}. */
export function leaseEntry(
  found: StoreEntry | undefined,
  now: number,
  token: string,
  { leaseSeconds, ttlSeconds }: Parameters<Store["lease"]>[2],
): EntryDecision<LeaseState> {
  const value = found?.value;
  const isTaken = found?.holder !== undefined && found.holder !== token && now < (found.leasedUntil ?? 0);
  if (isTaken) return { answer: { held: false, value }, next: found };
  const times = { expiresAt: now + ttlSeconds * 1000, leasedUntil: now + leaseSeconds * 1000 };
  return { answer: { held: true, value }, next: { ...found, holder: token, ...times } };
}

/** Decides about {@link Store.settle}, as an {@link EntryRule}. */
export function settleEntry(
  found: StoreEntry | undefined,
  now: number,
  token: string,
  value: string | undefined,
  { ttlSeconds, hold = false }: Parameters<Store["settle"]>[3],
): EntryDecision<boolean> {
  if (found?.holder !== token) return { answer: false, next: found };
  if (value === undefined && !hold) return { answer: true, next: undefined };
  const expiresAt = now + ttlSeconds * 1000;
  return { answer: true, next: { ...found, value, expiresAt, holder: hold ? token : undefined } };
}
