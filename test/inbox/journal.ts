/** Records entries, and lets a test wait for them. */
export interface Journal<Entry> {
  readonly entries: readonly Entry[];
  note(entry: Entry): void;
  /** Resolves with the matching entries when there are that many. */
  reached(matches: (entry: Entry) => boolean, count?: number): Promise<readonly Entry[]>;
}

/** Creates an empty journal. */
export function createJournal<Entry>(): Journal<Entry> {
  const entries: Entry[] = [];
  const looks = new Set<() => void>();
  return {
    entries,
    note(entry) {
      entries.push(entry);
      for (const look of looks) look();
    },
    reached(matches, count = 1) {
      const { promise, resolve } = Promise.withResolvers<readonly Entry[]>();
      const look = () => {
        const found = entries.filter(matches);
        if (found.length < count) return;
        looks.delete(look);
        resolve(found);
      };
      looks.add(look);
      look();
      return promise;
    },
  };
}
