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

/** The queue of a key that has at least one place taken. */
interface Queue {
  size: number;
  /** Resolves when all places have been left; `undefined` if none was ever taken. */
  allLeft: Promise<void> | undefined;
}

/** Creates queues that let one at a time through, in the order of entering. A queue exists while a place in it is taken. */
export function createKeyedQueue(): KeyedQueue {
  const queues = new Map<string, Queue>();

  return {
    size: (key) => queues.get(key)?.size ?? 0,
    enter(key) {
      const queue = queues.get(key) ?? { size: 0, allLeft: undefined };
      queues.set(key, queue);
      const turn = queue.allLeft;
      const { promise: left, resolve } = Promise.withResolvers<void>();
      queue.allLeft = turn ? turn.then(() => left) : left;
      queue.size += 1;
      let hasLeft = false;
      function leave(): void {
        if (hasLeft) return;
        hasLeft = true;
        queue.size -= 1;
        if (queue.size === 0) queues.delete(key);
        resolve();
      }
      return { turn, leave };
    },
  };
}
