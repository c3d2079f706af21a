import { vi } from "vitest";

/** Sets `Date` of this process ahead of the right time, or behind it below 0. At 0 it is right again. */
export function skewApp(milliseconds: number): void {
  vi.useRealTimers();
  if (milliseconds !== 0) vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + milliseconds });
}
