import TinyQueue from "tinyqueue";

/** Work that waits for an instant. */
export interface Timer {
  /** Unix milliseconds on the clock of the application. */
  readonly dueMilliseconds: number;
  /** Returns false after a cancellation. The timer is then ignored. */
  isWanted(): boolean;
  /** Does the work. It returns before the next timer runs. */
  run(): void;
}

/** Timers by their instant. Timers of the same instant run in the order in which they were added. */
export interface TimerQueue {
  /** Adds a timer. Returns true when it is now the first. */
  add(timer: Timer): boolean;
  /** Returns the instant of the first timer; undefined when there is none. */
  nextDueMilliseconds(): number | undefined;
  /** Runs the timers that are due, and those that become due meanwhile. */
  runDue(now: () => number): void;
}

interface Entry {
  readonly timer: Timer;
  readonly number: number;
}

/** Creates an empty queue. */
export function createTimerQueue(): TimerQueue {
  const queue = new TinyQueue<Entry>([], byInstant);
  let number = 0;
  const first = () => {
    while (queue.peek()?.timer.isWanted() === false) queue.pop();
    return queue.peek()?.timer;
  };

  return {
    add(timer) {
      queue.push({ timer, number: number++ });
      return first() === timer;
    },
    nextDueMilliseconds: () => first()?.dueMilliseconds,
    runDue(now) {
      for (let timer = first(); timer && timer.dueMilliseconds <= now(); timer = first()) {
        queue.pop();
        timer.run();
      }
    },
  };
}

function byInstant(left: Entry, right: Entry): number {
  return left.timer.dueMilliseconds - right.timer.dueMilliseconds || left.number - right.number;
}
