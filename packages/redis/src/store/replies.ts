import type { CounterChange, CounterState, LeaseState } from "@doorcode/core/store";

/** Lua numbers are doubles, so a count beyond this limit would be inexact. */
export const maxCount: number = Number.MAX_SAFE_INTEGER;

/** The reply about a counter that begins with its change. */
const begun = 1;
const absentCounter = ["1", "0", "-2"] as const;

/** Reads the reply about a value. */
export function readValue(reply: unknown): string | undefined {
  return typeof reply === "string" ? reply : undefined;
}

/** Reads the reply about a counter, which is the shorter the more its change says already. */
export function readCounter(reply: unknown, { by, limit = maxCount, ttlSeconds }: CounterChange): CounterState {
  if (reply === begun) return { granted: true, count: by, secondsLeft: ttlSeconds };
  const [granted, count, millisecondsLeft] = typeof reply === "string" ? reply.split(" ") : absentCounter;
  return {
    // A counter that is only read knows nothing of the limit.
    granted: by === 0 ? Number(count) <= limit : granted === "1",
    count: Number(count),
    secondsLeft: secondsLeft(Number(millisecondsLeft)),
  };
}

/** Rounds up, so that a client that waits this long does not come back before the counter expires. */
function secondsLeft(milliseconds: number): number {
  return milliseconds < 0 ? 0 : Math.max(1, Math.ceil(milliseconds / 1000));
}

/** Reads the reply about a lease: whether it is held, and the value. */
export function readLease(reply: unknown): LeaseState {
  const [held, value]: readonly unknown[] = Array.isArray(reply) ? reply : [];
  return { held: held === 1, value: readValue(value) };
}

/** Reads the reply about a value that was settled. */
export function readSettled(reply: unknown): boolean {
  return reply === 1;
}
