/** A place in the queue of a key. */
interface Place {
  /** Resolves when everybody who entered before has left; undefined when nobody is there. */
  readonly turn: Promise<void> | undefined;
  /** Lets the next one go; called twice it does nothing. */
  readonly leave: () => void;
}

/** One queue per key. */
export interface Turns {
  /** Takes the last place in the queue of the key. Whoever enters must leave. */
  enter(key: string): Place;
  /** How many have entered and not left. */
  present(key: string): number;
}

/** Creates queues that let one at a time through, in the order they came. A queue lasts while somebody is in it. */
export function createTurns(): Turns {
  const last = new Map<string, Promise<void>>();
  const counts = new Map<string, number>();
  const present = (key: string) => counts.get(key) ?? 0;

  return {
    present,
    enter(key) {
      const before = last.get(key);
      const { promise: left, resolve } = Promise.withResolvers<void>();
      const gone = before ? before.then(() => left) : left;
      last.set(key, gone);
      counts.set(key, present(key) + 1);
      void gone.then(() => {
        if (last.get(key) === gone) last.delete(key);
      });
      const leave = once(() => {
        counts.set(key, present(key) - 1);
        if (present(key) === 0) counts.delete(key);
        resolve();
      });
      return { turn: before, leave };
    },
  };
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
