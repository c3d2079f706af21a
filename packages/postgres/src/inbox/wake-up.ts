import type { Clock } from "@doorcode/core/clock";

/** A pause that can be cut short. */
export interface WakeUp {
  /** Ends the current pause; without one, the next pause ends at once. */
  trigger(): void;
  /** Pauses for at most that long. Only one caller may pause at a time. */
  pause(seconds: number): Promise<void>;
}

/**
 * Creates a wake-up.
 *
 * A worker pauses with it for months. A race against one promise that stays open would leak memory with every pause.
 */
export function createWakeUp(clock: Clock): WakeUp {
  let isTriggered = false;
  let endPause: (() => void) | undefined;

  return {
    trigger() {
      isTriggered = true;
      endPause?.();
    },
    async pause(seconds) {
      if (!isTriggered) {
        const { promise, resolve } = Promise.withResolvers<void>();
        endPause = resolve;
        const cancel = clock.schedule(seconds * 1000, resolve);
        await promise;
        cancel();
      }
      endPause = undefined;
      isTriggered = false;
    },
  };
}
