import type { CounterState, LeaseState } from "@doorcode/core/store";

/** Reads what the script of a counter answered. */
export function readCounter(reply: unknown): CounterState {
  const [granted, count, left] = Array.isArray(reply) ? reply.map(Number) : [];
  if (granted === undefined || count === undefined || left === undefined) throw unreadable();
  return { granted: granted === 1, count, secondsLeft: secondsLeft(left) };
}

/** Rounded up, so that nobody is told to come back while the counter still stands. */
function secondsLeft(milliseconds: number): number {
  return milliseconds < 0 ? 0 : Math.max(1, Math.ceil(milliseconds / 1000));
}

/** Reads what the script of a lease answered. */
export function readLease(reply: unknown): LeaseState {
  if (!Array.isArray(reply)) throw unreadable();
  const [held, value]: readonly unknown[] = reply;
  return { held: Number(held) === 1, value: typeof value === "string" ? value : undefined };
}

/** Reads what the script of a settlement answered. */
export function readSettled(reply: unknown): boolean {
  return Number(reply) === 1;
}

function unreadable(): TypeError {
  return new TypeError("The answer of Redis cannot be read: give the store a client of ioredis 6.");
}
