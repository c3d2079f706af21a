import type { CounterState, LeaseState } from "@doorcode/core/store";

const absentCounter: CounterState = { granted: true, count: 0, secondsLeft: 0 };

/** Reads the reply about a value. */
export function readValue(reply: unknown): string | undefined {
  return typeof reply === "string" ? reply : undefined;
}

/** Reads the reply about a counter: whether a change was granted, the count, and the milliseconds left; nothing without a counter. */
export function readCounter(reply: unknown): CounterState {
  if (typeof reply !== "string") return absentCounter;
  const [granted, count, millisecondsLeft] = reply.split(" ");
  return { granted: granted === "1", count: Number(count), secondsLeft: secondsLeft(Number(millisecondsLeft)) };
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
