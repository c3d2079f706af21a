import type { RedisClient } from "../connection/client.ts";
import { createFailFastClient, duplicateClient } from "../connection/duplicate-client.ts";

/** BullMQ refuses a client with a key prefix, so the prefix of the queue contains it. */
const names = { connectionName: "doorcode-inbox", keyPrefix: "" };

/** Creates the connection that adds events: a command is answered in time or rejects. */
export function createQueueClient(client: RedisClient, timeoutMilliseconds: number): RedisClient {
  return createFailFastClient(client, timeoutMilliseconds, names);
}

/** BullMQ waits for the next job in one command, for at most 10 seconds. A server that is silent for longer is gone. */
const silenceMilliseconds = 30_000;

/** Creates the connection of a worker: its commands wait for Redis for as long as it takes. */
export function createWorkerClient(client: RedisClient): RedisClient {
  const waiting = { socketTimeout: silenceMilliseconds, maxRetriesPerRequest: null, enableOfflineQueue: true };
  return duplicateClient(client, { ...names, ...waiting });
}

/** Returns the `keyPrefix` of the client of the app. */
export function keyPrefixOf(client: RedisClient): string {
  const options = "nodes" in client ? { ...client.options.redisOptions, ...client.options } : client.options;
  return options.keyPrefix ?? "";
}
