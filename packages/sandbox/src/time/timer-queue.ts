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
  add(timer: Timer): void;
  /** Returns the instant of the first timer; undefined when there is none. */
  nextDueMilliseconds(): number | undefined;
  /** Runs the timers that are due, and those that become due meanwhile. */
  runDue(now: () => number): void;
}

/** Creates an empty queue of timers. */
export function createTimerQueue(): TimerQueue {
  const queue = new TinyQueue<{ readonly timer: Timer; readonly number: number }>(
    [],
    (left, right) => left.timer.dueMilliseconds - right.timer.dueMilliseconds || left.number - right.number,
  );
  let number = 0;
  const first = () => {
    while (queue.peek()?.timer.isWanted() === false) queue.pop();
    return queue.peek()?.timer;
  };

  return {
    add: (timer) => queue.push({ timer, number: number++ }),
    nextDueMilliseconds: () => first()?.dueMilliseconds,
    runDue(now) {
      for (let timer = first(); timer && timer.dueMilliseconds <= now(); timer = first()) {
        queue.pop();
        timer.run();
      }
    },
  };
}
