/** The attempts of one application. They start in the order in which they were added. */
export interface AttemptQueue {
  /** Makes an attempt after those that wait, and after the present run of code. Resolves when it is complete. */
  add(make: () => Promise<void>): Promise<void>;
  /** Resolves when none is waiting or in progress. */
  settled(): Promise<void>;
}

/** Creates an empty queue. A waiting attempt has not started, so its own time limit has not either. */
export function createAttemptQueue(maxConcurrent: number): AttemptQueue {
  const waiting: (() => Promise<void>)[] = [];
  let running = 0;
  let idle = Promise.withResolvers<void>();

  const startNext = () => {
    while (running < maxConcurrent) {
      const make = waiting.shift();
      if (!make) break;
      running++;
      void make().finally(() => {
        running--;
        startNext();
      });
    }
    if (running > 0) return;
    idle.resolve();
    idle = Promise.withResolvers();
  };

  return {
    add(make) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push(() => make().then(resolve, reject));
      queueMicrotask(startNext);
      return promise;
    },
    async settled() {
      while (running > 0 || waiting.length > 0) await idle.promise;
    },
  };
}
