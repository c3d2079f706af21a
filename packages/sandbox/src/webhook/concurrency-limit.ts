/** Runs a task as soon as fewer than the limit are running. The waiting tasks start in their order. */
export type ConcurrencyLimit = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** Creates a limit for concurrent tasks. A waiting task has not started, so its own time limit has not either. */
export function createConcurrencyLimit(maxConcurrent: number): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let free = maxConcurrent;
  const acquire = () => {
    if (free-- > 0) return;
    return new Promise<void>((resolve) => waiting.push(resolve));
  };
  const release = () => {
    free++;
    waiting.shift()?.();
  };

  return async (task) => {
    await acquire();
    try {
      return await task();
    } finally {
      release();
    }
  };
}
