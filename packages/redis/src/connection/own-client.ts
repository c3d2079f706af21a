import type { Cluster, ClusterOptions, Redis, RedisOptions } from "ioredis";
import type { RedisClient } from "./client.ts";
import { errorReplyCode, isDatabaseRefused } from "./error-reply.ts";
import type { Part } from "./unavailable.ts";

/** A client that the kit has made from the client of the app: with the same servers, names and secrets. */
export interface OwnClient {
  readonly client: RedisClient;
  readonly isClosed: () => boolean;
  /** Ends the connections of the client, and those of the copies that BullMQ makes of it. */
  readonly close: () => void;
}

/**
 * Creates a client for commands that must be answered in time.
 *
 * A queue engine wants commands to wait and to be sent again. A store must do neither: a change that is made twice, or long after
 * its caller was told that it failed, is a wrong count. One client cannot do both.
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
  const ofSingle = {
    ...options,
    // A command that waited for a connection could be sent after its caller has given up.
    enableOfflineQueue: false,
    // BullMQ has pipelines of its own.
    enableAutoPipelining: part === "store",
  };
  return ownClient(duplicateSingle(client, ofSingle));
}

/**
 * Without auto-pipelining: ioredis follows a slot that has moved for a single command, and for a pipeline only if all its keys have
 * moved with the slot.
 */
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
  const ofSingle = { ...options, enableOfflineQueue: true, enableAutoPipelining: false };
  return ownClient(duplicateSingle(client, ofSingle));
}

/** The names of the connections in `CLIENT LIST`. BullMQ rejects a `keyPrefix`, so the prefix of the queue contains it. */
const namesOf: Readonly<Record<Part, RedisOptions>> = {
  store: { connectionName: "doorcode-store" },
  inbox: { connectionName: "doorcode-inbox", keyPrefix: "" },
};

/** The settings that the kit relies on, in place of those of the app. */
const common = {
  commandTimeout: undefined,
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
    enableAutoPipelining: false,
    // The first command for a node connects it, and others wait for that.
    enableOfflineQueue: true,
    // A replica may not know yet that a session has ended.
    scaleReads: "master",
  });
}

/** Reconnects on READONLY: a primary that became a replica keeps its connections, and only a new one finds its successor. */
function createReconnectOnError(ofApp: RedisOptions["reconnectOnError"]): (error: Error) => boolean {
  return (error) => errorReplyCode(error) === "READONLY" || Boolean(ofApp?.(error));
}

function ownClient(client: RedisClient): OwnClient {
  let closed = false;
  const isClosed = () => closed;
  watch(client, isClosed);
  const { duplicate } = client;
  // BullMQ waits for jobs on a copy of a worker's connection.
  Object.assign(client, {
    duplicate(...options: readonly unknown[]) {
      const copy: RedisClient = Reflect.apply(duplicate, client, options);
      watch(copy, isClosed);
      return copy;
    },
  });
  return {
    client,
    isClosed,
    close() {
      closed = true;
      client.disconnect();
    },
  };
}

function watch(own: RedisClient, isClosed: () => boolean): void {
  // Callers get the error of their command, and the client of the app reports the same outage. ioredis would print it.
  own.on("error", () => undefined);
  const endIfClosed = () => {
    if (isClosed()) own.disconnect();
  };
  // BullMQ may connect a copy again while it is closed.
  own.on("reconnecting", endIfClosed).on("ready", endIfClosed);
  if ("nodes" in own) return;
  requireDatabase(own);
  reconnectWhenInterrupted(own, isClosed);
}

/**
 * Disconnects whenever Redis refuses the database of a client, before any command is sent.
 *
 * ioredis reports the refusal and goes on in database 0, where other programs may keep counters, sessions or a queue. The
 * connection is made again as after a loss, so everything works as soon as the database is permitted.
 */
function requireDatabase(own: Redis): void {
  own.on("error", (error) => {
    if (isDatabaseRefused(error)) own.disconnect(true);
  });
}

/**
 * Connects again when ioredis has ended a connection during an attempt to connect.
 *
 * When Sentinel announces a new primary, the failover detector of ioredis interrupts even an attempt that is made because the
 * former primary is gone, and the connection ends in the middle of the failover that it should survive. A connection whose
 * `retryStrategy` gives up ends after an attempt, not during one, and stays ended.
 */
function reconnectWhenInterrupted(own: Redis, isClosed: () => boolean): void {
  let attempting = false;
  own.on("connecting", () => {
    attempting = true;
  });
  own.on("close", () => {
    attempting = false;
  });
  own.on("end", () => {
    const pauseMilliseconds = attempting && own.options.retryStrategy?.(1);
    if (typeof pauseMilliseconds !== "number") return;
    setTimeout(() => {
      if (!isClosed()) own.connect().catch(() => undefined);
    }, pauseMilliseconds);
  });
}
