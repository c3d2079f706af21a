/** Lets a limited number of tasks run at the same time, the others in their order. */
export type Gate = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** Creates a gate. What waits in front of it has not begun, so time limits inside of a task stay fair. */
export function createGate(concurrency: number): Gate {
  const waiting: (() => void)[] = [];
  let free = concurrency;
  const enter = () => {
    if (free-- > 0) return;
    return new Promise<void>((resolve) => waiting.push(resolve));
  };
  const leave = () => {
    free++;
    waiting.shift()?.();
  };

  return async (task) => {
    await enter();
    try {
      return await task();
    } finally {
      leave();
    }
  };
}
