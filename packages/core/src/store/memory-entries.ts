import { DoorcodeError } from "../util/errors.ts";

/** An entry of the memory store: a value, a counter, or both, and perhaps its lease. Instants are Unix milliseconds. */
export interface Entry {
  readonly expiresAt: number;
  readonly value?: string | undefined;
  readonly count?: number;
  /** The token of the last holder, until another takes the lease, or the key is settled or put. */
  readonly holder?: string | undefined;
  readonly leasedUntil?: number;
}

/** A table of limited size whose entries expire. `now` is the instant of the call, in Unix milliseconds. */
export interface Entries {
  /** Returns an entry, unless it has expired. */
  find(key: string, now: number): Entry | undefined;
  /**
   * Adds or replaces an entry.
   *
   * @throws DoorcodeError `store_unavailable` if the key is new and the table is full of live entries.
   */
  set(key: string, entry: Entry, now: number): void;
  delete(key: string): void;
}

/** Each new entry checks so many others, so expired entries stay a small part of the table. */
const sweptPerNewEntry = 8;

/** A full sweep of a million entries takes tens of milliseconds, so it is rare. */
const fullSweepPauseMilliseconds = 1000;

/** Creates a table on a map, which other tables may share. It uses no timer: writes remove expired entries. */
export function createEntries(map: Map<string, Entry>, maxEntries: number): Entries {
  let cursor = map.entries();
  let nextFullSweep = Number.NEGATIVE_INFINITY;

  function sweep(steps: number, now: number): void {
    for (let step = 0; step < steps; step++) {
      const next = cursor.next();
      if (next.done) cursor = map.entries();
      else if (next.value[1].expiresAt <= now) map.delete(next.value[0]);
    }
  }

  function makeRoom(now: number): void {
    sweep(sweptPerNewEntry, now);
    if (map.size >= maxEntries && now >= nextFullSweep) {
      nextFullSweep = now + fullSweepPauseMilliseconds;
      cursor = map.entries();
      sweep(map.size, now);
    }
    if (map.size < maxEntries) return;
    // Evicting a live counter would give used attempts back.
    const message = `The memory store is full: ${maxEntries} entries are live. Raise maxEntries or use a shared store.`;
    throw new DoorcodeError("store_unavailable", { message });
  }

  return {
    find(key, now) {
      const entry = map.get(key);
      return entry && entry.expiresAt > now ? entry : undefined;
    },
    set(key, entry, now) {
      if (!map.has(key)) makeRoom(now);
      map.set(key, entry);
    },
    delete: (key) => void map.delete(key),
  };
}
