/** A number for each record. Typed, because a property of an object takes twice the memory and the object as much again. */
export interface NumberColumn {
  /** Returns the number of a record; 0 if it has none. */
  get(record: number): number;
  /** Sets the number of a record, from 0 to 2^32 - 1. */
  set(record: number, value: number): void;
}

/** Creates a column in which each record has the number 0. */
export function createNumberColumn(): NumberColumn {
  let values = new Uint32Array(16);
  return {
    get: (record) => values[record] ?? 0,
    set(record, value) {
      if (record >= values.length) {
        const larger = new Uint32Array(Math.max(record + 1, values.length * 2));
        larger.set(values);
        values = larger;
      }
      values[record] = value;
    },
  };
}
