import type { Clock } from "@doorcode/core";

/** Waits for something, at most for that long, and leaves no timer behind. Rejects as it does. */
export async function within(clock: Clock, seconds: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.schedule(seconds * 1000, resolve);
  try {
    await Promise.race([work, promise]);
  } finally {
    cancel();
  }
}
