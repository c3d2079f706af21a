/** Counts events, and lets others wait until a count is reached. */
export interface CountLatch {
  readonly count: number;
  add(): void;
  /** Resolves when that many were counted in all. */
  reached(count: number): Promise<void>;
}

/** Creates a latch that has counted nothing. */
export function createLatch(): CountLatch {
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let count = 0;
  return {
    get count() {
      return count;
    },
    add() {
      count++;
      for (const wait of waiting) if (wait.count <= count) wait.resolve();
    },
    async reached(wanted) {
      if (count >= wanted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ count: wanted, resolve });
      await promise;
    },
  };
}
