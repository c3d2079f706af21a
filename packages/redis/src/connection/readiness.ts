import type { RedisClient } from "./client.ts";
import { isDatabaseRefused } from "./error-reply.ts";
import { notConnected } from "./unavailable.ts";

/** The state of a connection. */
export interface Readiness {
  /** Tells whether commands can be sent at once, so that {@link ready} need not be asked. */
  isReady(): boolean;
  /**
   * Resolves when commands can be sent.
   *
   * It waits for a connection that is made for the first time, or again after a loss. After a failed attempt it rejects at
   * once until the connection is back, so that requests do not pile up during an outage.
   *
   * @throws DoorcodeError `store_unavailable` when there is no connection. Nothing was sent then.
   */
  ready(): Promise<void>;
}

/** Watches the state of a connection from now on. The `retryStrategy` of the client connects it again. */
export function watchReadiness(client: RedisClient): Readiness {
  let connected = isReady(client);
  let failed = false;
  let lastError: Error | undefined;
  let databaseRefused: Error | undefined;
  let waiting = createWaiting();

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
    waiting.resolve();
  });
  client.on("close", () => {
    failed = !connected;
    connected = false;
    if (failed) waiting.reject(notConnected(lastError));
    else waiting = createWaiting();
  });
  client.on("end", () => {
    failed = true;
    waiting.reject(notConnected(lastError));
  });

  return {
    isReady: () => !databaseRefused && isReady(client),
    async ready() {
      if (databaseRefused) throw notConnected(databaseRefused);
      if (isReady(client)) return;
      // With `lazyConnect` the first command connects.
      if (client.status === "wait") client.connect().catch(() => undefined);
      if (failed) throw notConnected(lastError);
      await waiting.promise;
      // Events arrive one tick after the status has changed.
      if (!isReady(client)) throw notConnected(lastError);
    },
  };
}

function isReady(client: RedisClient): boolean {
  return client.status === "ready";
}

/** Creates a promise that may reject while nothing waits for it. */
function createWaiting(): PromiseWithResolvers<void> {
  const waiting = Promise.withResolvers<void>();
  waiting.promise.catch(() => undefined);
  return waiting;
}
