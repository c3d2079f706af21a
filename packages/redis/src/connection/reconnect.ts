import type { RedisClient } from "./client.ts";
import { isEnded } from "./end-with-client.ts";

/** The connections that have ended and will be connected again. */
const waiting = new WeakSet<RedisClient>();

/** Tells whether a connection has ended, and is not connected again. */
export function hasEnded(own: RedisClient): boolean {
  return own.status === "end" && !waiting.has(own);
}

/**
 * Connects a connection of the kit again that ended during an attempt to connect, after the pause of its `retryStrategy`.
 *
 * When Sentinel announces a new primary, the failover detector of ioredis interrupts even an attempt that is made because
 * the former primary is gone. The connection would then end for good, in the middle of the failover that it should
 * survive. A connection whose `retryStrategy` gives up ends after an attempt, not during one, and stays ended.
 */
export function reconnectWhenInterrupted(own: RedisClient): void {
  let isConnecting = false;
  own.on("connecting", () => {
    isConnecting = true;
  });
  own.on("close", () => {
    isConnecting = false;
  });
  own.on("end", () => {
    if (!isConnecting || isEnded(own) || !("retryStrategy" in own.options)) return;
    const pauseMilliseconds = own.options.retryStrategy?.(1);
    if (typeof pauseMilliseconds !== "number") return;
    waiting.add(own);
    setTimeout(() => {
      waiting.delete(own);
      if (!isEnded(own)) own.connect().catch(() => undefined);
    }, pauseMilliseconds);
  });
}
