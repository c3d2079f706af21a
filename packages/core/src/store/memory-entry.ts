/** An entry of the memory store: a value, a counter, or a lease of either or of an absent value. */
export interface Entry {
  /** The value, or `undefined` for a counter and for a lease without a value. */
  readonly value: string | undefined;
  /** The count of a counter, else 0. */
  readonly count: number;
  /** The end of the entry's lifetime, in Unix milliseconds. */
  readonly expiresAt: number;
  /** The token of the last holder, until another takes the lease, or the key is settled or put. */
  readonly holder: string | undefined;
  /** The end of the lease, in Unix milliseconds. */
  readonly leasedUntil: number;
}

/*
 * An entry as the memory store holds it. A login leaves one value and eight counters, and an attack a million such logins: as objects,
 * their members would be the most of what they take. So a counter is one number, and a value has no member that it does not need.
 */

/** An {@link Entry} in the least memory. Most are a counter, as one number, or a value without a lease. */
export type PackedEntry = number | PlainValue | Entry;

/** A value that is neither counted nor leased. */
interface PlainValue {
  readonly value: string;
  readonly expiresAt: number;
}

/** Milliseconds below this number, which is reached in 2109, leave eleven bits of an exact number for the count. */
const maxInstant = 2 ** 42;
const maxPackedCount = 2 ** 11 - 1;

/** Packs an entry. What does not fit stays as it is. */
export function packEntry(entry: Entry): PackedEntry {
  const { value, count, expiresAt, holder } = entry;
  if (holder !== undefined) return entry;
  if (value !== undefined) return count === 0 ? { value, expiresAt } : entry;
  const fits = count <= maxPackedCount && Number.isInteger(expiresAt) && expiresAt >= 0 && expiresAt < maxInstant;
  return fits ? count * maxInstant + expiresAt : entry;
}

/** Unpacks what {@link packEntry} has packed. */
export function unpackEntry(packed: PackedEntry): Entry {
  if (typeof packed === "number") {
    const count = Math.floor(packed / maxInstant);
    return { value: undefined, count, expiresAt: packed - count * maxInstant, holder: undefined, leasedUntil: 0 };
  }
  if ("count" in packed) return packed;
  const { value, expiresAt } = packed;
  return { value, count: 0, expiresAt, holder: undefined, leasedUntil: 0 };
}

/** Returns the end of a packed entry's lifetime, in Unix milliseconds. */
export function expiryOfPacked(packed: PackedEntry): number {
  return typeof packed === "number" ? packed % maxInstant : packed.expiresAt;
}
