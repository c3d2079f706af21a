import type { RedisClient } from "./client.ts";

/** The connections that the kit has ended, for good. */
export const ended: WeakSet<RedisClient> = new WeakSet();

/** The connections with {@link reconnectWhenInterrupted} that are being made: only these can be interrupted. */
const connecting = new WeakSet<RedisClient>();

/** Tells whether a connection has ended, and is not connected again. */
export function hasEnded(own: RedisClient): boolean {
  return ended.has(own) || (own.status === "end" && pauseMillisecondsOf(own) === undefined);
}

/**
 * Connects a connection of the kit again that ended during an attempt to connect, after the pause of its `retryStrategy`.
 *
 * When Sentinel announces a new primary, the failover detector of ioredis interrupts even an attempt that is made because
 * the former primary is gone. The connection would then end for good, in the middle of the failover that it should
 * survive. A connection whose `retryStrategy` gives up ends after an attempt, not during one, and stays ended.
 */
export function reconnectWhenInterrupted(own: RedisClient): void {
  own.on("connecting", () => connecting.add(own));
  own.on("close", () => connecting.delete(own));
  own.on("end", () => {
    if (hasEnded(own)) return;
    setTimeout(() => {
      if (!ended.has(own)) own.connect().catch(() => undefined);
    }, pauseMillisecondsOf(own));
  });
}

/**
 * Returns the pause before an interrupted connection is connected again.
 *
 * It does not wait for the event `end`: ioredis rejects the commands of an interrupted connection before it emits that.
 */
function pauseMillisecondsOf(own: RedisClient): number | undefined {
  if (!connecting.has(own) || !("retryStrategy" in own.options)) return;
  const pauseMilliseconds = own.options.retryStrategy?.(1);
  return typeof pauseMilliseconds === "number" ? pauseMilliseconds : undefined;
}
