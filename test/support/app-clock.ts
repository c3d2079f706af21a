import { vi } from "vitest";

/** Sets `Date` of this process that far ahead of the right time, behind it below 0; right again at 0. */
export function skewApp(milliseconds: number): void {
  vi.useRealTimers();
  if (milliseconds !== 0) vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + milliseconds });
}
