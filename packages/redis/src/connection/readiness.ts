import type { RedisClient } from "./client.ts";
import { isDatabaseRefused } from "./error-reply.ts";
import { notConnected } from "./unavailable.ts";

/**
 * Watches a connection from now on. Returns a function that resolves when commands can be sent. It waits for a connection that is made for
 * the first time, or again after a loss. After a failed attempt it rejects immediately until the connection is back, so that requests do
 * not pile up during an outage.
 *
 * @throws DoorcodeError `store_unavailable` when there is no connection. Nothing was sent then.
 */
export function watchReadiness(client: RedisClient): () => Promise<void> {
  const isReady = () => client.status === "ready";
  let connected = isReady();
  let failed = false;
  let lastError: Error | undefined;
  let databaseRefused: Error | undefined;
  let attempt = Promise.withResolvers<void>();

  function endAttempt(): void {
    attempt.resolve();
    attempt = Promise.withResolvers();
  }

  client.on("connecting", () => {
    databaseRefused = undefined;
  });
  client.on("error", (error: Error) => {
    if (isDatabaseRefused(error)) databaseRefused = error;
    // After a refused database, the attempt is given up, and further errors say only that.
    lastError = databaseRefused ?? error;
  });
  client.on("ready", () => {
    // Without a ready check, ioredis reports even a connection as ready that it is about to end.
    if (databaseRefused) return;
    connected = true;
    failed = false;
    endAttempt();
  });
  client.on("close", () => {
    failed = !connected;
    connected = false;
    if (failed) endAttempt();
  });
  client.on("end", () => {
    failed = true;
    endAttempt();
  });

  return async () => {
    if (databaseRefused) throw notConnected(databaseRefused);
    if (isReady()) return;
    // With `lazyConnect` the first command connects.
    if (client.status === "wait") client.connect().catch(() => undefined);
    if (!failed) await attempt.promise;
    // Events arrive one tick after the status has changed.
    if (!isReady()) throw notConnected(lastError);
  };
}
