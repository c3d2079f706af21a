import type { RedisClient } from "../connection/client.ts";
import { createOwnClient, duplicateClient, type OwnNames } from "../connection/own-client.ts";

/** BullMQ refuses a prefix of the client: it stands in the prefix of the queue. */
const inbox: OwnNames = { connectionName: "doorcode-inbox", keyPrefix: "" };

/** Makes the connection that keeps events: it answers in time, or it fails. Nothing waits in it for a connection to come. */
export function createKeepingClient(client: RedisClient, timeoutMilliseconds: number): RedisClient {
  return createOwnClient(client, timeoutMilliseconds, inbox);
}

/** BullMQ waits for the next event in one command, 10 seconds at most: longer silence is that of a server that has vanished. */
const silenceMilliseconds = 30_000;

/** Makes the connection of a worker: it waits for events and for Redis, as long as it takes. */
export function createWorkingClient(client: RedisClient): RedisClient {
  const waiting = { socketTimeout: silenceMilliseconds, maxRetriesPerRequest: null, enableOfflineQueue: true };
  return duplicateClient(client, { ...inbox, ...waiting });
}

/** The `keyPrefix` of the app's client. */
export function keyPrefixOf(client: RedisClient): string {
  const options = "nodes" in client ? { ...client.options.redisOptions, ...client.options } : client.options;
  return options.keyPrefix ?? "";
}
