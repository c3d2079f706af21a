import type { RedisClient } from "./options.ts";

/**
 * Makes the store's own connection from the app's client, with the same servers, names and secrets.
 *
 * A queue engine wants commands to wait and to be sent again; a store that counts must do neither, since a change that
 * is made twice, or long after its caller was told that it failed, is a wrong count. One client cannot be both.
 */
export function createOwnClient(client: RedisClient, timeoutMilliseconds: number): RedisClient {
  const own = duplicate(client, timeoutMilliseconds);
  // Each verb tells what is wrong, and the app's client meets the same outage; ioredis would print what nobody listens to.
  own.on("error", () => undefined);
  client.once("end", () => own.disconnect());
  return own;
}

function duplicate(client: RedisClient, timeoutMilliseconds: number): RedisClient {
  if (!("nodes" in client)) {
    const reconnectOnError = reconnecting(client.options.reconnectOnError);
    // Nothing waits for a connection, where it could be sent after its caller has given up.
    const options = { ...connectionOptions(timeoutMilliseconds), reconnectOnError, enableOfflineQueue: false };
    return client.duplicate(options);
  }
  const reconnectOnError = reconnecting(client.options.redisOptions?.reconnectOnError);
  return client.duplicate([], {
    redisOptions: {
      ...client.options.redisOptions,
      ...connectionOptions(timeoutMilliseconds),
      reconnectOnError,
    },
    enableAutoPipelining: false,
    // A command whose node went away is otherwise sent again, also when the node had carried it out.
    retryDelayOnFailover: 0,
    clusterNodeRetryStrategy: null,
    // A replica may not know yet that a session has ended.
    scaleReads: "master" as const,
  });
}

function connectionOptions(timeoutMilliseconds: number) {
  return {
    connectionName: "doorcode-store",
    connectTimeout: timeoutMilliseconds,
    // A server that is silent for that long is given up with its connection, not asked again and again.
    socketTimeout: timeoutMilliseconds,
    commandTimeout: undefined,
    // What was under way when a connection was lost rejects at once, so that nothing is left to be sent again.
    maxRetriesPerRequest: 0,
    // Batches of ioredis wait for each other, and are sent again as a whole.
    enableAutoPipelining: false,
    stringNumbers: false,
    replyMapping: "legacy" as const,
    role: "master" as const,
    // Sentinel tells a former primary late. Until then it would go on counting what its successor never learns.
    failoverDetector: true,
  };
}

type OnError = ((error: Error) => boolean | 1 | 2) | null | undefined;

/** A primary that became a replica keeps its connections; only a new one finds its successor. */
function reconnecting(appWishes: OnError): (error: Error) => boolean {
  return (error) => error.message.startsWith("READONLY") || Boolean(appWishes?.(error));
}
