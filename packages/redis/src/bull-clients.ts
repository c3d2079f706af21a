import type { RedisClient } from "./options.ts";
import { createOwnClient, duplicateClient, type OwnNames } from "./own-client.ts";

/** BullMQ refuses a prefix of the client: it stands in the prefix of the queue. */
const inbox: OwnNames = { connectionName: "doorcode-inbox", keyPrefix: "" };

/** Makes the connection that keeps events: it answers in time, or it fails. Nothing waits in it for a connection to come. */
export function createKeepingClient(client: RedisClient, timeoutMilliseconds: number): RedisClient {
  return createOwnClient(client, timeoutMilliseconds, inbox);
}

/** Makes the connection of a worker: it waits for events and for Redis, as long as it takes. */
export function createWorkingClient(client: RedisClient): RedisClient {
  // A worker waits for its next event in one command, so that silence is no sign.
  const waiting = { socketTimeout: undefined, maxRetriesPerRequest: null, enableOfflineQueue: true };
  return duplicateClient(client, { ...inbox, ...waiting });
}

/** The `keyPrefix` of the app's client. */
export function keyPrefixOf(client: RedisClient): string {
  const options = "nodes" in client ? { ...client.options.redisOptions, ...client.options } : client.options;
  return options.keyPrefix ?? "";
}
