/** The values that were used recently, each under a text. Their number is limited. */
export interface RecentlyUsed<Value> {
  /** Returns the value of a text, if it is still there. */
  find(text: string): Value | undefined;
  /** Keeps a value. Values that were not used for long make room. */
  keep(text: string, value: Value): void;
}

/**
 * Creates a table of values that were used recently.
 *
 * It has two halves. A full new half becomes the old one, and what stood in the old one goes, unless it was used meanwhile. So a use
 * is one look at a map: a list in the order of use would be written with each of them.
 *
 * @param maxEntries - the largest number of values; the newest half of them always stays.
 */
export function createRecentlyUsed<Value>(maxEntries: number): RecentlyUsed<Value> {
  const maxInHalf = Math.max(1, Math.floor(maxEntries / 2));
  let newHalf = new Map<string, Value>();
  let oldHalf = new Map<string, Value>();

  function keep(text: string, value: Value): void {
    if (newHalf.size >= maxInHalf) {
      oldHalf = newHalf;
      newHalf = new Map();
    }
    newHalf.set(text, value);
  }

  return {
    find(text) {
      const value = newHalf.get(text);
      if (value !== undefined) return value;
      const old = oldHalf.get(text);
      if (old !== undefined) keep(text, old);
      return old;
    },
    keep,
  };
}
