import type { Cluster, ClusterOptions, Redis, RedisOptions } from "ioredis";
import type { RedisClient } from "./client.ts";
import { errorReplyCode } from "./error-reply.ts";
import { type OwnClient, ownClient } from "./own-client.ts";
import type { Part } from "./unavailable.ts";

/**
 * Creates a client for commands that must be answered in time. A queue engine wants commands to wait and to be sent again. A store must do
 * neither: a change that is made twice, or long after its caller was told that it failed, is a wrong count.
 */
export function createFailFastClient(client: RedisClient, part: Part, timeoutMilliseconds: number): OwnClient {
  const options: RedisOptions = {
    ...namesOf[part],
    connectTimeout: timeoutMilliseconds,
    // A server that is silent for that long loses its connection and is not asked again.
    socketTimeout: timeoutMilliseconds,
    // Commands without a reply reject as soon as the connection is lost, and are not sent again.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  };
  if ("nodes" in client) return ownClient(duplicateCluster(client, options, failFastCluster));
  // A command that waited for a connection could be sent after its caller has given up.
  return ownClient(duplicateSingle(client, { ...options, enableOfflineQueue: false }));
}

const failFastCluster: ClusterOptions = {
  // ioredis would send a command of a lost node again, even if the node has carried it out.
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  clusterNodeRetryStrategy: null,
};

/** BullMQ waits for the next job in one command, for at most 10 seconds. A server that is silent for longer is gone. */
const silenceMilliseconds = 30_000;

/** Creates a client for a worker of a queue, whose commands wait for Redis for as long as it takes. */
export function createWorkerClient(client: RedisClient): OwnClient {
  const options = { ...namesOf.inbox, socketTimeout: silenceMilliseconds, maxRetriesPerRequest: null };
  if ("nodes" in client) return ownClient(duplicateCluster(client, options));
  return ownClient(duplicateSingle(client, { ...options, enableOfflineQueue: true }));
}

/** The names in `CLIENT LIST`. BullMQ rejects a `keyPrefix`, so the prefix of the queue contains it. */
const namesOf: Readonly<Record<Part, RedisOptions>> = {
  store: { connectionName: "doorcode-store" },
  inbox: { connectionName: "doorcode-inbox", keyPrefix: "" },
};

/** The settings that the kit relies on, in place of those of the app. */
const common = {
  commandTimeout: undefined,
  // An automatic pipeline keeps commands back until the one before it is answered, so that they could be sent too late.
  // In a cluster it does not follow a slot that has moved. Each command is written immediately instead.
  enableAutoPipelining: false,
  // A connection that is ended waits for nothing, so that it does not keep the process alive.
  disconnectTimeout: 0,
  stringNumbers: false,
  replyMapping: "legacy",
  role: "master",
  // Sentinel tells a former primary late, and until then it accepts writes that its successor never gets.
  failoverDetector: true,
  // While Redis loads its data, it overestimates the time that is left, and ioredis would wait for up to 10 seconds.
  maxLoadingRetryTime: 100,
} as const;

function duplicateSingle(client: Redis, options: RedisOptions): Redis {
  return client.duplicate({
    ...options,
    ...common,
    reconnectOnError: createReconnectOnError(client.options.reconnectOnError),
    // Without the ready check, the first commands would be sent before SELECT is answered.
    enableReadyCheck: client.options.enableReadyCheck || Boolean(client.options.db),
  });
}

function duplicateCluster(client: Cluster, options: RedisOptions, clusterOptions: ClusterOptions = {}): Cluster {
  const { redisOptions } = client.options;
  const reconnectOnError = createReconnectOnError(redisOptions?.reconnectOnError);
  return client.duplicate([], {
    ...clusterOptions,
    redisOptions: { ...redisOptions, ...options, ...common, reconnectOnError },
    ...(options.keyPrefix !== undefined && { keyPrefix: options.keyPrefix }),
    enableAutoPipelining: common.enableAutoPipelining,
    // The first command for a node connects it, and others wait for that.
    enableOfflineQueue: true,
    // A replica may not know yet that a session has ended.
    scaleReads: "master",
  });
}

/** A primary that became a replica keeps its connections. Only a new connection finds the new primary. */
function createReconnectOnError(ofApp: RedisOptions["reconnectOnError"]): (error: Error) => boolean {
  return (error) => errorReplyCode(error) === "READONLY" || Boolean(ofApp?.(error));
}
