import { DoorcodeError } from "../util/errors.ts";
import { type Entry, expiryOfPacked, type PackedEntry, packEntry, unpackEntry } from "./memory-entry.ts";

/** A table of limited size whose entries expire. `now` is the instant of the operation, in Unix milliseconds. */
export interface Entries {
  /** Returns an entry, unless it has expired. */
  find(key: string, now: number): Entry | undefined;
  /** Returns the value of an entry that has one, unless it has expired. */
  findValue(key: string, now: number): string | undefined;
  /**
   * Adds or replaces an entry.
   *
   * @throws DoorcodeError `store_unavailable` if the key is new and the table is full of live entries.
   */
  set(key: string, entry: Entry, now: number): void;
  /** Deletes an entry. */
  delete(key: string): void;
}

/** Entries by key, and how far they have been swept. Stores that share their entries share both. */
export interface EntryTable {
  readonly map: Map<string, PackedEntry>;
  /** Where the present pass of the sweep is. */
  cursor: MapIterator<[string, PackedEntry]>;
  /** No entry ends before this instant: until then there is nothing to sweep. */
  earliestEnd: number;
  /** The same of the entries that the present pass has come by, and of those that were written since it began. */
  earliestEndOfPass: number;
}

/** Creates a table without entries. */
export function createEntryTable(): EntryTable {
  const map = new Map<string, PackedEntry>();
  return {
    map,
    cursor: map.entries(),
    earliestEnd: Number.POSITIVE_INFINITY,
    earliestEndOfPass: Number.POSITIVE_INFINITY,
  };
}

/** A sweep passes through the whole table before it grows by an eighth, so expired entries stay a small part of it. */
const sweptPerNewEntry = 8;

const endedEntry: Entry = {
  value: undefined,
  count: 0,
  expiresAt: Number.NEGATIVE_INFINITY,
  holder: undefined,
  leasedUntil: 0,
};

/** A full sweep of a million entries takes tens of milliseconds, so it is rare. */
const fullSweepPauseMilliseconds = 1000;

/** Creates the entries of a table. Each new entry sweeps a few others, so that no call gets slower as the table grows. */
export function createEntries(table: EntryTable, maxEntries: number): Entries {
  const { map } = table;
  let nextFullSweep = Number.NEGATIVE_INFINITY;

  function sweep(steps: number, now: number): void {
    // One step while nothing has ended: a cursor that stands still keeps the earlier tables of a growing map in memory.
    let left = now < table.earliestEnd ? 1 : steps;
    while (left > 0) {
      for (const [key, packed] of table.cursor) {
        const expiresAt = expiryOfPacked(packed);
        if (expiresAt <= now) map.delete(key);
        else if (expiresAt < table.earliestEndOfPass) table.earliestEndOfPass = expiresAt;
        left -= 1;
        if (left === 0) return;
      }
      table.cursor = map.entries();
      table.earliestEnd = table.earliestEndOfPass;
      table.earliestEndOfPass = Number.POSITIVE_INFINITY;
      left -= 1;
    }
  }

  function write(key: string, entry: Entry): void {
    map.set(key, packEntry(entry));
    const { expiresAt } = entry;
    if (expiresAt < table.earliestEnd) table.earliestEnd = expiresAt;
    if (expiresAt < table.earliestEndOfPass) table.earliestEndOfPass = expiresAt;
  }

  function makeRoom(now: number): void {
    sweep(sweptPerNewEntry, now);
    if (map.size < maxEntries) return;
    if (now >= nextFullSweep) {
      nextFullSweep = now + fullSweepPauseMilliseconds;
      // One step more than there are entries, because the end of the table takes one too.
      sweep(map.size + 1, now);
    }
    if (map.size < maxEntries) return;
    // Evicting a live counter would give used attempts back.
    const message = `The memory store is full: ${maxEntries} entries are live. Raise maxEntries or use a shared store.`;
    throw new DoorcodeError("store_unavailable", { message });
  }

  return {
    find(key, now) {
      // An expired entry stays until it is replaced or swept.
      const packed = map.get(key);
      return packed !== undefined && expiryOfPacked(packed) > now ? unpackEntry(packed) : undefined;
    },
    findValue(key, now) {
      const packed = map.get(key);
      return typeof packed === "object" && packed.expiresAt > now ? packed.value : undefined;
    },
    set(key, entry, now) {
      if (!map.has(key)) makeRoom(now);
      write(key, entry);
    },
    delete(key) {
      // A Map keeps the place of a deleted key until it is built anew, and looks at each place of a key. A counter that comes and goes
      // with every login would make every login slower. A sweep takes ended entries away long before the table is full.
      if (map.size * 2 > maxEntries) map.delete(key);
      else if (map.has(key)) write(key, endedEntry);
    },
  };
}
