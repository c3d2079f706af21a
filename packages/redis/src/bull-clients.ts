import type { RedisClient } from "./options.ts";

/** What BullMQ relies on, whatever the app's client does. */
const common = {
  connectionName: "doorcode-inbox",
  // BullMQ refuses one: it stands in the prefix of the queue.
  keyPrefix: "",
  enableAutoPipelining: false,
  stringNumbers: false,
  replyMapping: "legacy",
  role: "master",
} as const;

type OwnOptions = typeof common & {
  readonly enableOfflineQueue: boolean;
  readonly maxRetriesPerRequest: number | null;
  readonly connectTimeout?: number;
  readonly socketTimeout: number | undefined;
  readonly commandTimeout: undefined;
};

/** Makes the connection that keeps events: it answers in time, or it fails. Nothing waits in it for a connection to come. */
export function createKeepingClient(client: RedisClient, timeoutMilliseconds: number): RedisClient {
  return duplicate(client, {
    ...common,
    connectTimeout: timeoutMilliseconds,
    socketTimeout: timeoutMilliseconds,
    commandTimeout: undefined,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
  });
}

/** Makes the connection of a worker: it waits for events and for Redis, as long as it takes. */
export function createWorkingClient(client: RedisClient): RedisClient {
  return duplicate(client, {
    ...common,
    maxRetriesPerRequest: null,
    enableOfflineQueue: true,
    // A worker waits for its next event in one command.
    socketTimeout: undefined,
    commandTimeout: undefined,
  });
}

function duplicate(client: RedisClient, { enableOfflineQueue, ...options }: OwnOptions): RedisClient {
  const own =
    "nodes" in client
      ? client.duplicate([], {
          redisOptions: { ...client.options.redisOptions, ...options },
          keyPrefix: "",
          enableOfflineQueue: true,
          scaleReads: "master",
        })
      : client.duplicate({ ...options, enableOfflineQueue });
  // Whoever asks is told; ioredis would print what nobody listens to.
  own.on("error", () => undefined);
  client.once("end", () => own.disconnect());
  return own;
}

/** The `keyPrefix` of the app's client. */
export function keyPrefixOf(client: RedisClient): string {
  const options = "nodes" in client ? { ...client.options.redisOptions, ...client.options } : client.options;
  return options.keyPrefix ?? "";
}
