/** A place in the queue of a key. */
interface Place {
  /** Resolves when all earlier places have been left; `undefined` if there are none. */
  readonly turn: Promise<void> | undefined;
  /** Leaves the place, so that the next one's turn comes. A second call does nothing. */
  readonly leave: () => void;
}

/** A queue for each key. */
export interface KeyedQueue {
  /** Takes the last place in the queue of a key. Every place must be left. */
  enter(key: string): Place;
  /** Returns how many places of a key are taken. */
  size(key: string): number;
}

/** Creates queues that let one at a time through, in the order of entering. A queue exists while a place in it is taken. */
export function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<void>>();
  const sizes = new Map<string, number>();
  const size = (key: string) => sizes.get(key) ?? 0;

  return {
    size,
    enter(key) {
      const before = last.get(key);
      const { promise: left, resolve } = Promise.withResolvers<void>();
      const allLeft = before ? before.then(() => left) : left;
      last.set(key, allLeft);
      sizes.set(key, size(key) + 1);
      void allLeft.then(() => {
        if (last.get(key) === allLeft) last.delete(key);
      });
      let hasLeft = false;
      function leave(): void {
        if (hasLeft) return;
        hasLeft = true;
        sizes.set(key, size(key) - 1);
        if (size(key) === 0) sizes.delete(key);
        resolve();
      }
      return { turn: before, leave };
    },
  };
}
