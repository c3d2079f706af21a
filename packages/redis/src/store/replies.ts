import type { CounterState, LeaseState } from "@doorcode/core/store";

/** Reads the reply of `incrementScript`. */
export function readCounter(reply: unknown): CounterState {
  const [granted, count, left] = Array.isArray(reply) ? reply.map(Number) : [];
  if (granted === undefined || count === undefined || left === undefined) throw unreadable();
  return { granted: granted === 1, count, secondsLeft: secondsLeft(left) };
}

/** Rounds up, so that a client that waits this long does not come back before the counter expires. */
function secondsLeft(milliseconds: number): number {
  return milliseconds < 0 ? 0 : Math.max(1, Math.ceil(milliseconds / 1000));
}

/** Reads the reply of `leaseScript`. */
export function readLease(reply: unknown): LeaseState {
  if (!Array.isArray(reply)) throw unreadable();
  const [held, value]: readonly unknown[] = reply;
  return { held: Number(held) === 1, value: typeof value === "string" ? value : undefined };
}

/** Reads the reply of `settleScript`. */
export function readSettled(reply: unknown): boolean {
  return Number(reply) === 1;
}

function unreadable(): TypeError {
  return new TypeError("The reply of Redis cannot be read: give the store a client of ioredis 6.");
}
