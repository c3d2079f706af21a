import type { Clock } from "@doorcode/core/store";

/** A world with a clock of its own, in which things happen one after the other. */
export interface World {
  readonly clock: Clock;
  /** The seconds since the world began. */
  now(): number;
  /** Lets something happen at a time. Things of the same time happen in the order in which they were planned. */
  at(seconds: number, happen: () => Promise<void> | void): void;
  /** Lets everything happen that was planned until then. */
  runUntil(seconds: number): Promise<void>;
}

/** The world begins on a Thursday at midnight, where the kit's weeks begin too. */
const beginMilliseconds = Date.UTC(2026, 0, 1);

interface Planned {
  readonly seconds: number;
  readonly number: number;
  readonly happen: () => Promise<void> | void;
}

/** Creates a world. */
export function createWorld(): World {
  const heap: Planned[] = [];
  let now = 0;
  let count = 0;

  const isBefore = (left: Planned, right: Planned) =>
    left.seconds < right.seconds || (left.seconds === right.seconds && left.number < right.number);

  function push(planned: Planned): void {
    let index = heap.push(planned) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Planned;
      if (isBefore(above, planned)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = planned;
  }

  function pop(): Planned | undefined {
    const first = heap[0];
    const last = heap.pop();
    if (!last || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      const right = heap[child + 1];
      if (right && isBefore(right, heap[child] as Planned)) child++;
      const below = heap[child];
      if (!below || !isBefore(below, last)) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
    return first;
  }

  return {
    clock: {
      now: () => beginMilliseconds + now * 1000,
      schedule: () => () => undefined,
    },
    now: () => now,
    at: (seconds, happen) => push({ seconds, number: count++, happen }),
    async runUntil(seconds) {
      while ((heap[0]?.seconds ?? Number.POSITIVE_INFINITY) <= seconds) {
        const planned = pop() as Planned;
        now = planned.seconds;
        await planned.happen();
      }
      now = seconds;
    },
  };
}
