import type { RedisClient } from "./client.ts";
import { keepToDatabase } from "./database.ts";
import { endTogether } from "./end-together.ts";
import { codeOf } from "./refusal.ts";
import { reviveWhenBrokenOff } from "./reviving.ts";

/**
 * Makes a connection of the kit's own for questions that must be answered in time, from the app's client and with the same
 * servers, names and secrets. It ends when the app's client does.
 *
 * A queue engine wants commands to wait and to be sent again; a store that counts must do neither, since a change that
 * is made twice, or long after its caller was told that it failed, is a wrong count. One client cannot be both.
 */
export function createOwnClient(
  client: RedisClient,
  timeoutMilliseconds: number,
  names: OwnNames = store,
): RedisClient {
  const own = {
    ...names,
    connectTimeout: timeoutMilliseconds,
    // A server that is silent for that long is given up with its connection, not asked again and again.
    socketTimeout: timeoutMilliseconds,
    // What was under way when a connection was lost rejects at once, so that nothing is left to be sent again.
    maxRetriesPerRequest: 0,
  };
  // Nothing waits for a connection, where it could be sent after its caller has given up.
  if (!("nodes" in client)) return duplicateClient(client, { ...own, enableOfflineQueue: false });
  return duplicateClient(client, own, {
    // A command whose node went away is otherwise sent again, also when the node had carried it out.
    retryDelayOnFailover: 0,
    clusterNodeRetryStrategy: null,
  });
}

/** How the connection is named, and what stands before its keys when that is not as with the app's client. */
export interface OwnNames {
  readonly connectionName: string;
  readonly keyPrefix?: string;
}

const store: OwnNames = { connectionName: "doorcode-store" };

interface OwnOptions extends OwnNames {
  readonly connectTimeout?: number;
  readonly socketTimeout: number | undefined;
  readonly maxRetriesPerRequest: number | null;
  readonly enableOfflineQueue?: boolean;
}

interface ClusterOptions {
  readonly retryDelayOnFailover?: number;
  readonly clusterNodeRetryStrategy?: null;
}

/** What the kit relies on, whatever the app's client does. */
const common = {
  commandTimeout: undefined,
  // Batches of ioredis wait for each other, and are sent again as a whole.
  enableAutoPipelining: false,
  stringNumbers: false,
  replyMapping: "legacy",
  role: "master",
  // Sentinel tells a former primary late. Until then it would go on taking what its successor never learns.
  failoverDetector: true,
} as const;

/** Makes a connection with the same servers, names and secrets as the app's client. It ends when that does. */
export function duplicateClient(client: RedisClient, options: OwnOptions, cluster: ClusterOptions = {}): RedisClient {
  const own = "nodes" in client ? duplicateCluster(client, options, cluster) : duplicateSingle(client, options);
  // Whoever asks is told what is wrong, and the app's client meets the same outage; ioredis would print what nobody listens to.
  own.on("error", () => undefined);
  endTogether(client, own);
  return own;
}

type Of<Kind, Client = RedisClient> = Client extends Kind ? Client : never;
type ClusterClient = Of<{ nodes: unknown }>;
type SingleClient = Exclude<RedisClient, ClusterClient>;

function duplicateSingle(client: SingleClient, options: OwnOptions): RedisClient {
  const reconnectOnError = reconnecting(client.options.reconnectOnError);
  // Without that check the first questions would leave beside the SELECT, and not behind its answer.
  const enableReadyCheck = client.options.enableReadyCheck || Boolean(client.options.db);
  const own = client.duplicate({ ...common, ...options, reconnectOnError, enableReadyCheck });
  keepToDatabase(own);
  reviveWhenBrokenOff(own);
  return own;
}

function duplicateCluster(client: ClusterClient, options: OwnOptions, cluster: ClusterOptions): RedisClient {
  const { redisOptions } = client.options;
  const reconnectOnError = reconnecting(redisOptions?.reconnectOnError);
  const { keyPrefix, enableOfflineQueue } = options;
  return client.duplicate([], {
    redisOptions: { ...redisOptions, ...common, ...options, reconnectOnError },
    ...cluster,
    ...(keyPrefix !== undefined && { keyPrefix }),
    ...(enableOfflineQueue !== undefined && { enableOfflineQueue }),
    enableAutoPipelining: false,
    // A replica may not know yet that a session has ended.
    scaleReads: "master",
  });
}

type OnError = ((error: Error) => boolean | 1 | 2) | null | undefined;

/** A primary that became a replica keeps its connections; only a new one finds its successor. */
function reconnecting(appWishes: OnError): (error: Error) => boolean {
  return (error) => codeOf(error) === "READONLY" || Boolean(appWishes?.(error));
}
