/** A gate for parallel work: nothing passes before the test opens it. */
export interface Barrier {
  /** Waits until the barrier is open. */
  pass(): Promise<void>;
  /** Returns a function that waits until the barrier is open, and then returns the value. */
  hold<Value>(value: Value): () => Promise<Value>;
  /** Resolves when that many callers wait. */
  arrived(count: number): Promise<void>;
  open(): void;
}

/** Creates a closed barrier. */
export function createBarrier(): Barrier {
  const gate = Promise.withResolvers<void>();
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let arrivals = 0;

  async function pass(): Promise<void> {
    arrivals++;
    for (const { count, resolve } of waiting) if (arrivals >= count) resolve();
    await gate.promise;
  }

  return {
    pass,
    hold: (value) => () => pass().then(() => value),
    async arrived(count) {
      if (arrivals >= count) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ count, resolve });
      await promise;
    },
    open: gate.resolve,
  };
}
