import { type Clock, createDeadline } from "@doorcode/core/store";
import type { RedisClient } from "./client.ts";
import { createFailFastClient } from "./duplicate-client.ts";
import { watchReadiness } from "./readiness.ts";
import { type Part, timedOut, toUnavailable } from "./unavailable.ts";

/** A connection of the kit on which every command is answered in time, or rejects. */
export interface Connection {
  /** The client of the connection, which is not that of the app. */
  readonly client: RedisClient;
  /**
   * Sends commands as soon as there is a connection. Throws a TypeError after {@link close}.
   * @throws DoorcodeError `store_unavailable` when there is no connection, the reply does not come in time, or Redis replies with an error.
   * Only after an error reply is it known that nothing was changed.
   */
  run<Reply>(send: () => Promise<Reply>): Promise<Reply>;
  /** Throws a TypeError after {@link close}. */
  checkOpen(): void;
  /** Ends the connection. Commands without a reply reject. */
  close(): void;
}

/** Options of {@link createConnection}. */
export interface ConnectionOptions {
  /** The client of the app. */
  readonly client: RedisClient;
  /** The time that a command may take. */
  readonly timeoutSeconds: number;
  /** Measures that time. */
  readonly clock: Clock;
}

/** Creates a connection for a part of the kit. */
export function createConnection(part: Part, { client, timeoutSeconds, clock }: ConnectionOptions): Connection {
  const own = createFailFastClient(client, part, timeoutSeconds * 1000);
  const ready = watchReadiness(own.client);
  warnOfEviction(own.client, part);

  function checkOpen(): void {
    if (own.isClosed()) throw new TypeError(`The ${part} was closed: create another.`);
  }

  return {
    client: own.client,
    checkOpen,
    async run(send) {
      checkOpen();
      const deadline = createDeadline(clock, timeoutSeconds, () => timedOut(timeoutSeconds));
      try {
        await deadline.race(ready());
        return await deadline.race(send());
      } catch (error) {
        if (deadline.isOver) sendNoMore(own.client);
        throw toUnavailable(error, part);
      } finally {
        deadline.clear();
      }
    },
    close: own.close,
  };
}

/**
 * Sees to it that no command is sent after its caller was told that it failed. ioredis sends a script again if the late reply is that the
 * server does not know it. In a cluster a command waits for the connection to its node.
 */
function sendNoMore(own: RedisClient): void {
  if ("nodes" in own) {
    const connecting = own.nodes().filter(({ status }) => status === "connecting" || status === "connect");
    for (const node of connecting) node.disconnect();
  } else if (own.status === "ready" && !own.stream.writableEnded) {
    // Only once: until the socket has closed, other commands may time out too.
    own.disconnect(true);
  }
}

const losses: Readonly<Record<Part, string>> = {
  store: "the counts of used-up attempts",
  inbox: "webhooks that were acknowledged",
};

/** Warns once connected if the server may evict entries. A server that hides its policy causes no warning. */
function warnOfEviction(client: RedisClient, part: Part): void {
  client.once("ready", async () => {
    const info = await client.info("memory").catch(() => "");
    const policy = info.match(/^maxmemory_policy:([\w-]+)/m)?.[1];
    if (policy === undefined || policy === "noeviction") return;
    process.emitWarning(
      `Redis evicts keys when it is full (maxmemory-policy ${policy}), and with them ${losses[part]}: set it to noeviction.`,
      { type: "DoorcodeWarning", code: "redis_evicts" },
    );
  });
}
