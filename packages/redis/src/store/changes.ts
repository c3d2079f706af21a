import type { Clock } from "@doorcode/core/clock";
import { createChangeListeners, type StoreChanges } from "@doorcode/core/store";
import { keyPrefixOf, type RedisClient } from "../connection/client.ts";
import type { Connection } from "../connection/connection.ts";
import { createSubscriberClient } from "../connection/duplicate-client.ts";
import { endConnection } from "../connection/end-with-client.ts";
import { errorReplyCode, isErrorReply } from "../connection/error-reply.ts";
import { hasEnded } from "../connection/reconnect.ts";
import { createScript } from "./script.ts";

/** The parts that the announcements of a store work with. */
export interface ChangesDeps {
  /** The client of the app. */
  readonly client: RedisClient;
  /** The connection of the store, which publishes. */
  readonly connection: Connection;
  /** The prefix of the store. */
  readonly prefix: string;
  readonly clock: Clock;
}

/** Publishes to all channels: a busy worker announces each event, and a command for each would cost it more than their marks do. */
const publishScript = createScript(`
local failure
for _, channel in ipairs(ARGV) do
  local reply = redis.pcall('PUBLISH', channel, '')
  if type(reply) == 'table' then failure = reply end
end
return failure or #ARGV
`);

/** A page asks again as soon as it has an answer, so the connection stays open for a moment. */
const idleSeconds = 10;

/**
 * Announces changes by publish and subscribe. The name of a channel is a topic with the prefixes of keys; a message is empty.
 *
 * A subscriber needs a connection of its own. It is made when somebody listens, and ends some seconds after nobody does.
 */
export function createRedisChanges({ client, connection, prefix, clock }: ChangesDeps): StoreChanges {
  const channelPrefix = keyPrefixOf(client) + prefix;
  const channelsOf = (topics: readonly string[]) => topics.map((topic) => channelPrefix + topic);
  const listeners = createChangeListeners();
  const warn = createPermissionWarning(channelPrefix);
  /** Topics whose subscription the server has confirmed. */
  const confirmed = new Set<string>();
  let subscriber: RedisClient | undefined;
  let cancelEnd: () => void = () => undefined;

  function connect(): RedisClient {
    const own = createSubscriberClient(client);
    // With `lazyConnect` it waits for its first command.
    if (own.status === "wait") own.connect().catch(() => undefined);
    own.on("message", (channel: string) => listeners.tell([channel.slice(channelPrefix.length)]));
    // The subscriptions of a connection end with it, and what was announced meanwhile is lost.
    own.on("ready", () => void subscribe(own, listeners.topics()));
    own.on("close", () => confirmed.clear());
    own.on("end", () => {
      if (subscriber === own && hasEnded(own)) forget();
    });
    return own;
  }

  function forget(): void {
    cancelEnd();
    subscriber = undefined;
    confirmed.clear();
  }

  async function subscribe(own: RedisClient, topics: readonly string[]): Promise<void> {
    if (topics.length === 0 || own.status !== "ready") return;
    try {
      await own.subscribe(...channelsOf(topics));
    } catch (error) {
      return warn(error);
    }
    if (subscriber !== own) return;
    for (const topic of topics) if (listeners.has(topic)) confirmed.add(topic);
    listeners.tell(topics);
  }

  function unsubscribe(own: RedisClient, topics: readonly string[]): void {
    for (const topic of topics) confirmed.delete(topic);
    if (topics.length > 0 && own.status === "ready") own.unsubscribe(...channelsOf(topics)).catch(() => undefined);
  }

  function endWhenIdle(): void {
    if (listeners.topics().length > 0) return;
    cancelEnd();
    cancelEnd = clock.schedule(idleSeconds * 1000, () => {
      const own = subscriber;
      forget();
      if (own) endConnection(own);
    });
  }

  return {
    async announce(topics) {
      const values = channelsOf(topics);
      await connection.run((redis, deadline) => publishScript.run(redis, deadline, { keys: [], values }).catch(warn));
    },
    listen(topics, onChange) {
      cancelEnd();
      const { added, remove } = listeners.add(topics, onChange);
      subscriber ??= connect();
      void subscribe(subscriber, added);
      // Otherwise it is called with the confirmation.
      if (topics.every((topic) => confirmed.has(topic))) onChange();
      return () => {
        const left = remove();
        if (subscriber) unsubscribe(subscriber, left);
        endWhenIdle();
      };
    },
  };
}

/** Creates a function that warns once, when an error says that the user of the client may not announce or listen. */
function createPermissionWarning(channelPrefix: string): (error: unknown) => void {
  let isWarned = false;
  return (error) => {
    if (isWarned || !isErrorReply(error) || errorReplyCode(error) !== "NOPERM") return;
    isWarned = true;
    process.emitWarning(
      "Redis does not permit announcements of changes, so login pages show them some seconds late: give its user " +
        `+publish +subscribe +unsubscribe and the channels &${channelPrefix}doorcode:*, with the name given to createDoorcode.`,
      { type: "DoorcodeWarning", code: "redis_changes" },
    );
  };
}
