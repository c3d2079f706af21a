import { type Clock, waitAtMost } from "./clock.ts";

/** A pause that can be cut short. */
export interface WakeUp {
  /** Ends the current pause; without one, the next pause ends at once. */
  trigger(): void;
  /** Pauses for at most that long. Only one caller may pause at a time. */
  pause(seconds: number): Promise<void>;
}

/** Creates a wake-up. */
export function createWakeUp(clock: Clock): WakeUp {
  let next = Promise.withResolvers<void>();
  return {
    trigger: () => next.resolve(),
    async pause(seconds) {
      await waitAtMost(clock, seconds, next.promise);
      // Each pause has its own promise: races against one that stays open for months would leak memory.
      next = Promise.withResolvers<void>();
    },
  };
}
