import type { Clock } from "@doorcode/core";

/** What is still to happen, on one clock: everything in it can be dropped at once. */
export interface Agenda {
  /** Runs the task after the delay, unless the agenda is cleared or closed before. */
  after(delayMilliseconds: number, task: () => void): void;
  /** Drops what is to come. */
  clear(): void;
  /** Drops what is to come and takes nothing any more. */
  close(): void;
}

/** Creates an empty agenda on the given clock. */
export function createAgenda(clock: Clock): Agenda {
  const cancels = new Set<() => void>();
  let closed = false;
  const clear = () => {
    for (const cancel of cancels) cancel();
    cancels.clear();
  };

  return {
    after(delayMilliseconds, task) {
      if (closed) return;
      const cancel = clock.schedule(delayMilliseconds, () => {
        cancels.delete(cancel);
        task();
      });
      cancels.add(cancel);
    },
    clear,
    close() {
      closed = true;
      clear();
    },
  };
}
