import type { Redis } from "ioredis";
import type { RedisClient } from "./client.ts";
import { isDatabaseRefused } from "./error-reply.ts";

/** A client that the kit has made from the client of the app: with the same servers, names and secrets. */
export interface OwnClient {
  readonly client: RedisClient;
  readonly isClosed: () => boolean;
  /** Ends the connections of the client, and those of the copies that BullMQ makes of it. */
  readonly close: () => void;
}

/** Makes the kit the owner of a new client: the client and its copies end with `close`, and survive failovers. */
export function ownClient(client: RedisClient): OwnClient {
  let closed = false;
  const isClosed = () => closed;
  watch(client, isClosed);
  const { duplicate } = client;
  // BullMQ waits for jobs on a copy of a worker's connection.
  Object.assign(client, {
    duplicate(...options: readonly unknown[]) {
      const copy: RedisClient = Reflect.apply(duplicate, client, options);
      watch(copy, isClosed);
      return copy;
    },
  });
  return {
    client,
    isClosed,
    close() {
      closed = true;
      client.disconnect();
    },
  };
}

function watch(own: RedisClient, isClosed: () => boolean): void {
  // Callers get the error of their command, and the client of the app reports the same outage. ioredis would print it.
  own.on("error", () => undefined);
  const endIfClosed = () => {
    if (isClosed()) own.disconnect();
  };
  // BullMQ may connect a copy again while it is closed.
  own.on("reconnecting", endIfClosed).on("ready", endIfClosed);
  if ("nodes" in own) return;
  // When Redis refuses the database, ioredis would go on in database 0, which may be that of another program.
  own.on("error", (error) => {
    if (isDatabaseRefused(error)) own.disconnect(true);
  });
  reconnectWhenInterrupted(own, isClosed);
}

/**
 * Connects again when ioredis has ended a connection during an attempt to connect. When Sentinel announces a new primary, the failover
 * detector of ioredis also interrupts an attempt, and the connection ends in the middle of the failover that it should survive. A
 * connection whose `retryStrategy` gives up ends after an attempt, and stays ended.
 */
function reconnectWhenInterrupted(own: Redis, isClosed: () => boolean): void {
  let attempting = false;
  own.on("connecting", () => {
    attempting = true;
  });
  own.on("close", () => {
    attempting = false;
  });
  own.on("end", () => {
    const pauseMilliseconds = attempting && own.options.retryStrategy?.(1);
    if (typeof pauseMilliseconds !== "number") return;
    setTimeout(() => {
      if (!isClosed()) own.connect().catch(() => undefined);
    }, pauseMilliseconds);
  });
}
