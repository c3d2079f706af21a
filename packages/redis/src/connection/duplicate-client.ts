import type { RedisClient } from "./client.ts";
import { endWithClient } from "./end-with-client.ts";
import { errorReplyCode } from "./error-reply.ts";
import { reconnectWhenInterrupted } from "./reconnect.ts";
import { requireDatabase } from "./require-database.ts";
import type { Part } from "./unavailable.ts";
import { writeTogether } from "./write-together.ts";

interface DuplicateOptions {
  readonly connectionName: string;
  readonly connectTimeout?: number;
  readonly socketTimeout: number;
  readonly maxRetriesPerRequest: number | null;
  readonly enableOfflineQueue?: boolean;
  readonly keyPrefix?: string;
  readonly autoResubscribe?: boolean;
}

interface ClusterOptions {
  readonly retryDelayOnFailover?: number;
  readonly clusterNodeRetryStrategy?: null;
}

/**
 * Duplicates the client of the app for commands that must be answered in time: with the same servers, names and secrets.
 *
 * A queue engine wants commands to wait and to be sent again. A store must do neither: a change that is made twice, or
 * long after its caller was told that it failed, is a wrong count. One client cannot do both.
 */
export function createFailFastClient(client: RedisClient, timeoutMilliseconds: number, part: Part): RedisClient {
  const options = {
    ...names[part],
    connectTimeout: timeoutMilliseconds,
    // A server that is silent for that long loses its connection and is not asked again.
    socketTimeout: timeoutMilliseconds,
    // Commands under way reject as soon as the connection is lost, so that none is sent again.
    maxRetriesPerRequest: 0,
  };
  // A command that waited for a connection could be sent after its caller has given up.
  if (!("nodes" in client)) return duplicateClient(client, { ...options, enableOfflineQueue: false });
  return duplicateClient(client, options, {
    // ioredis would send a command of a lost node again, even if the node has carried it out.
    retryDelayOnFailover: 0,
    clusterNodeRetryStrategy: null,
  });
}

/** A subscriber may be silent. Only a command that is not answered for so long loses its connection. */
const subscriberSilenceMilliseconds = 5000;

/** Duplicates the client of the app to listen to channels. Its owner subscribes anew whenever it is ready. */
export function createSubscriberClient(client: RedisClient): RedisClient {
  return duplicateClient(client, {
    connectionName: "doorcode-changes",
    connectTimeout: subscriberSilenceMilliseconds,
    socketTimeout: subscriberSilenceMilliseconds,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResubscribe: false,
  });
}

/** BullMQ waits for the next job in one command, for at most 10 seconds. A server that is silent for longer is gone. */
const silenceMilliseconds = 30_000;

/** Duplicates the client of the app for a worker of a queue, whose commands wait for Redis for as long as it takes. */
export function createWorkerClient(client: RedisClient): RedisClient {
  const waiting = { socketTimeout: silenceMilliseconds, maxRetriesPerRequest: null, enableOfflineQueue: true };
  const own = duplicateClient(client, { ...names.inbox, ...waiting });
  endCopies(own);
  return own;
}

/** Ends the copies of a connection with it. BullMQ duplicates the connection of a worker, and waits for jobs on the copy. */
function endCopies(own: RedisClient): void {
  const { duplicate } = own;
  Object.assign(own, {
    duplicate(...options: readonly unknown[]) {
      const copy: RedisClient = Reflect.apply(duplicate, own, options);
      ignoreErrors(copy);
      if (!("nodes" in copy)) {
        requireDatabase(copy);
        reconnectWhenInterrupted(copy);
      }
      endWithClient(own, copy);
      return copy;
    },
  });
}

/** The names of the connections in `CLIENT LIST`. BullMQ rejects a `keyPrefix`, so the prefix of the queue contains it. */
const names = {
  store: { connectionName: "doorcode-store" },
  inbox: { connectionName: "doorcode-inbox", keyPrefix: "" },
} as const satisfies Record<Part, unknown>;

/** The settings that the kit relies on, in place of those of the app. */
const common = {
  commandTimeout: undefined,
  // The commands of a batch wait for each other, and the batch is sent again as a whole.
  enableAutoPipelining: false,
  stringNumbers: false,
  replyMapping: "legacy",
  role: "master",
  // Sentinel tells a former primary late, and until then it accepts writes that its successor never gets.
  failoverDetector: true,
  // While Redis loads its data, it guesses how long that will take, also when it is nearly done, and ioredis then waits up to 10 seconds.
  maxLoadingRetryTime: 100,
} as const;

/** Duplicates the client of the app, with the same servers, names and secrets. The copy ends when the client does. */
function duplicateClient(
  client: RedisClient,
  options: DuplicateOptions,
  clusterOptions: ClusterOptions = {},
): RedisClient {
  const own = "nodes" in client ? duplicateCluster(client, options, clusterOptions) : duplicateSingle(client, options);
  ignoreErrors(own);
  endWithClient(client, own);
  return own;
}

/** Callers get the error of their command, and the client of the app reports the same outage. ioredis would print it. */
function ignoreErrors(own: RedisClient): void {
  own.on("error", () => undefined);
}

type ClusterClient = Extract<RedisClient, { nodes: unknown }>;
type SingleClient = Exclude<RedisClient, ClusterClient>;

function duplicateSingle(client: SingleClient, options: DuplicateOptions): RedisClient {
  const reconnectOnError = createReconnectOnError(client.options.reconnectOnError);
  // Without the ready check, the first commands would be sent before SELECT is answered.
  const enableReadyCheck = client.options.enableReadyCheck || Boolean(client.options.db);
  const own = client.duplicate({ ...common, ...options, reconnectOnError, enableReadyCheck });
  requireDatabase(own);
  reconnectWhenInterrupted(own);
  writeTogether(own);
  return own;
}

function duplicateCluster(
  client: ClusterClient,
  options: DuplicateOptions,
  clusterOptions: ClusterOptions,
): RedisClient {
  const { redisOptions } = client.options;
  const reconnectOnError = createReconnectOnError(redisOptions?.reconnectOnError);
  const { keyPrefix, enableOfflineQueue } = options;
  return client.duplicate([], {
    redisOptions: { ...redisOptions, ...common, ...options, reconnectOnError },
    ...clusterOptions,
    ...(keyPrefix !== undefined && { keyPrefix }),
    ...(enableOfflineQueue !== undefined && { enableOfflineQueue }),
    enableAutoPipelining: false,
    // A replica may not know yet that a session has ended.
    scaleReads: "master",
  });
}

type ReconnectOnError = ((error: Error) => boolean | 1 | 2) | null | undefined;

/** Reconnects on READONLY: a primary that became a replica keeps its connections, and only a new one finds its successor. */
function createReconnectOnError(ofApp: ReconnectOnError): (error: Error) => boolean {
  return (error) => errorReplyCode(error) === "READONLY" || Boolean(ofApp?.(error));
}
