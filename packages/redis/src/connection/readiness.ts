import type { RedisClient } from "./client.ts";
import { notConnected } from "./failure.ts";
import { isRefusedDatabase } from "./refusal.ts";

/** Whether commands can be sent. */
export interface Readiness {
  /**
   * Resolves when the connection is there.
   *
   * A connection that is being made for the first time, or again after it was lost, is waited for. Once an attempt has
   * failed, everything rejects at once until the connection is back: an outage must not pile up requests.
   *
   * @throws DoorcodeError `store_unavailable` when there is none; nothing was sent then.
   */
  ready(): Promise<void>;
}

/** Watches a client from now on. It connects nothing again itself: that is the matter of the client's `retryStrategy`. */
export function watchReadiness(client: RedisClient): Readiness {
  let connected = isReady(client);
  let failed = false;
  let lastError: Error | undefined;
  let refused: Error | undefined;
  let waiting = createWaiting();

  client.on("connecting", () => {
    refused = undefined;
  });
  client.on("error", (error: Error) => {
    if (isRefusedDatabase(error)) refused = error;
    // What follows a refused database in the same attempt is only that the attempt was given up.
    lastError = refused ?? error;
  });
  client.on("ready", () => {
    // Without a ready check ioredis is ready all the same, on a connection that is being ended.
    if (refused) return;
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
    async ready() {
      if (refused) throw notConnected(refused);
      if (isReady(client)) return;
      // With `lazyConnect` the first command connects.
      if (client.status === "wait") client.connect().catch(() => undefined);
      if (failed) throw notConnected(lastError);
      await waiting.promise;
      // The events come a tick after the status that they tell of.
      if (!isReady(client)) throw notConnected(lastError);
    },
  };
}

function isReady(client: RedisClient): boolean {
  return client.status === "ready";
}

/** A promise that may reject while nobody waits. */
function createWaiting(): PromiseWithResolvers<void> {
  const waiting = Promise.withResolvers<void>();
  waiting.promise.catch(() => undefined);
  return waiting;
}
