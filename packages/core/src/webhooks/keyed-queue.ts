/** A place in the queue of a key. */
export interface Place {
  /** Resolves when all earlier places have been left; `undefined` if there are none. */
  readonly turn: Promise<void> | undefined;
  /** Leaves the place, so that the next one's turn comes. A second call does nothing. */
  leave(): void;
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
  const queues: Queues = new Map();

  return {
    size: (key) => queues.get(key)?.length ?? 0,
    enter(key) {
      const found = queues.get(key);
      const place = new TakenPlace(queues, key, found !== undefined);
      if (found) found.push(place);
      else queues.set(key, [place]);
      return place;
    },
  };
}

/** The places of each key that are taken, in the order of entering. */
type Queues = Map<string, TakenPlace[]>;

class TakenPlace implements Place {
  readonly turn: Promise<void> | undefined;
  /** Begins its turn. It is called again for each later place that is left, which changes nothing. */
  readonly #begin: (() => void) | undefined;
  readonly #queues: Queues;
  readonly #key: string;

  constructor(queues: Queues, key: string, waits: boolean) {
    this.#queues = queues;
    this.#key = key;
    // Most places are alone in their queue, and need no promise.
    const turn = waits ? Promise.withResolvers<void>() : undefined;
    this.turn = turn?.promise;
    this.#begin = turn?.resolve;
  }

  leave(): void {
    const queue = this.#queues.get(this.#key);
    const index = queue?.indexOf(this) ?? -1;
    if (!queue || index < 0) return;
    if (queue.length === 1) return void this.#queues.delete(this.#key);
    queue.splice(index, 1);
    const [first] = queue;
    if (first) first.#begin?.();
  }
}
