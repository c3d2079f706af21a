import type { RedisClient } from "./client.ts";

/**
 * Connects a client again that ended while it was connecting, after the pause of its `retryStrategy`.
 *
 * The fail-over detector of ioredis breaks off whatever attempt is under way when Sentinel tells of a new primary, also
 * one that is made because the former primary is gone. The client then ends for good, in the middle of the fail-over
 * that it should survive. One whose `retryStrategy` gives up ends after an attempt, and stays so.
 */
export function reviveWhenBrokenOff(client: RedisClient): void {
  let isConnecting = false;
  client.on("connecting", () => {
    isConnecting = true;
  });
  client.on("close", () => {
    isConnecting = false;
  });
  client.on("end", () => {
    if (!isConnecting || isEndedByHand(client) || !("retryStrategy" in client.options)) return;
    const pauseMilliseconds = client.options.retryStrategy?.(1);
    if (typeof pauseMilliseconds !== "number") return;
    setTimeout(() => {
      if (!unwanted.has(client)) client.connect().catch(() => undefined);
    }, pauseMilliseconds);
  });
}

const unwanted = new WeakSet<RedisClient>();

/** Leaves a client at its end from now on. */
export function leaveEnded(client: RedisClient): void {
  unwanted.add(client);
}

/** By its name, which is private to ioredis: whoever ends a client between two attempts leaves no other trace. */
export function isEndedByHand(client: RedisClient): boolean {
  return Reflect.get(client, "manuallyClosing") === true;
}
