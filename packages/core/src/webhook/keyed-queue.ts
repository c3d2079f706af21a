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
  /** The places of each key that are taken, in the order of entering. */
  const queues = new Map<string, Set<TakenPlace>>();

  return {
    size: (key) => queues.get(key)?.size ?? 0,
    enter(key) {
      const found = queues.get(key);
      const queue = found ?? new Set<TakenPlace>();
      if (!found) queues.set(key, queue);
      // Most places are alone in their queue, and need no promise.
      const turn = found && Promise.withResolvers<void>();
      const place: TakenPlace = { begin: turn?.resolve };
      queue.add(place);
      function leave(): void {
        if (!queue.delete(place)) return;
        if (queue.size === 0) queues.delete(key);
        else firstOf(queue)?.begin?.();
      }
      return { turn: turn?.promise, leave };
    },
  };
}

/** A place that is taken. */
interface TakenPlace {
  /** Begins its turn. It is called again for each later place that is left, which changes nothing. */
  readonly begin: (() => void) | undefined;
}

function firstOf(queue: ReadonlySet<TakenPlace>): TakenPlace | undefined {
  return queue.values().next().value;
}
