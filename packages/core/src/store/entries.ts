import type { Clock } from "../primitives/clock.ts";
import { DoorcodeError } from "../primitives/errors.ts";

/** What the memory store keeps under a key: a value, a counter, or a lease on either or on nothing yet. */
export interface Entry {
  readonly value: string | undefined;
  readonly count: number;
  /** Unix milliseconds at which the entry is gone. */
  readonly expiresAt: number;
  /** Whoever took the lease last and has not been followed, settled or overwritten since. */
  readonly holder: string | undefined;
  /** Unix milliseconds at which others may take over. */
  readonly leasedUntil: number;
}

/** A bounded table of entries that forgets what has expired. */
export interface Entries {
  /** The entry, unless it has expired. */
  find(key: string): Entry | undefined;
  /**
   * Keeps an entry.
   *
   * @throws DoorcodeError `store_unavailable` when the key is new and the table is full of live entries.
   */
  keep(key: string, entry: Entry): void;
  forget(key: string): void;
}

/** The sweep has gone round the table before it grows by an eighth, so what has expired stays a small part of it. */
const sweptPerNewEntry = 8;

/** Looking at every entry costs tens of milliseconds in a table of a million, so a full one does it seldom. */
const fullSweepPauseMilliseconds = 1000;

/** Creates a table over `map`. Each new entry pays for sweeping a few others, so that no verb takes longer as it grows. */
export function createEntries(map: Map<string, Entry>, clock: Clock, maxEntries: number): Entries {
  let cursor = map.entries();
  let nextFullSweep = Number.NEGATIVE_INFINITY;

  function sweep(steps: number): void {
    const now = clock.now();
    for (let step = 0; step < steps && map.size > 0; step++) {
      const next = cursor.next();
      if (next.done) cursor = map.entries();
      else if (next.value[1].expiresAt <= now) map.delete(next.value[0]);
    }
  }

  function makeRoom(): void {
    sweep(sweptPerNewEntry);
    if (map.size < maxEntries) return;
    if (clock.now() >= nextFullSweep) {
      nextFullSweep = clock.now() + fullSweepPauseMilliseconds;
      // One step more than there are entries: the end of the table takes one too.
      sweep(map.size + 1);
    }
    if (map.size < maxEntries) return;
    // Evicting a live entry instead would give somebody's attempts back.
    const message = `The memory store is full: ${maxEntries} entries are live. Raise maxEntries or use a shared store.`;
    throw new DoorcodeError("store_unavailable", { message });
  }

  return {
    find(key) {
      const entry = map.get(key);
      if (entry === undefined || entry.expiresAt > clock.now()) return entry;
      map.delete(key);
      return undefined;
    },
    keep(key, entry) {
      if (!map.has(key)) makeRoom();
      map.set(key, entry);
    },
    forget(key) {
      map.delete(key);
    },
  };
}
