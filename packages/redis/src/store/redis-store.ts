import { type CounterChange, checkCounterChange, checkSeconds, checkTexts, type Store } from "@doorcode/core/store";
import { createConnection } from "../connection/connection.ts";
import type { KeyCommand } from "./commands.ts";
import { checkStoreOptions, type RedisStoreOptions } from "./options.ts";
import { maxCount, readCounter, readLease, readSettled, readValue } from "./replies.ts";
import { createSender } from "./send-commands.ts";

/**
 * Creates a store on Redis or Valkey: one server, Sentinels or a cluster, for any number of processes.
 *
 * Each function takes one round trip, also for a list whose keys are on different nodes. Functions that are called at once go to
 * a single server together. The store keeps the contract of {@link Store} while the primary lives; a failover may lose the last
 * writes, since Redis replicates asynchronously. A function without a reply in time rejects with `store_unavailable`, and its
 * command is never sent again or later.
 *
 * The store makes one connection of its own from `client`, and one more while a request waits for a change. They end when
 * `client` ends.
 *
 * @throws TypeError for a wrong option, naming the option, the expectation and the fix.
 * @example
 * import { createDoorcode } from "@doorcode/core";
 * import { createRedisStore } from "@doorcode/redis";
 * import { Redis } from "ioredis";
 *
 * const client = new Redis(process.env.REDIS_URL ?? "redis://localhost:6379");
 * client.on("error", (error) => console.error(error.message));
 * const doorcode = createDoorcode({ store: createRedisStore({ client }) });
 */
export function createRedisStore(options: RedisStoreOptions): Store {
  const checked = checkStoreOptions(options);
  const connection = createConnection("store", checked);
  const send = createSender(connection);
  const keyOf = (key: string) => checked.prefix + key;

  return {
    async get(keys) {
      checkTexts(...keys);
      const replies = await send(keys.map((key) => ({ name: "get", key: keyOf(key), numbers: none, texts: none })));
      return replies.map(readValue);
    },
    async put(key, value, { ttlSeconds }) {
      checkTexts(key, value);
      checkSeconds(ttlSeconds);
      const command: KeyCommand =
        value === undefined
          ? { name: "delete", key: keyOf(key), numbers: none, texts: none }
          : { name: "put", key: keyOf(key), numbers: [milliseconds(ttlSeconds)], texts: [value] };
      await send([command]);
    },
    async increment(changes) {
      changes.forEach(checkCounterChange);
      const replies = await send(changes.map((change) => counterCommand(keyOf(change.key), change)));
      return changes.map((change, index) => readCounter(replies[index], change));
    },
    async lease(key, token, { leaseSeconds, ttlSeconds }) {
      checkTexts(key, token);
      checkSeconds(leaseSeconds, ttlSeconds);
      const numbers = [milliseconds(leaseSeconds), milliseconds(ttlSeconds)];
      const [reply] = await send([{ name: "lease", key: keyOf(key), numbers, texts: [token] }]);
      return readLease(reply);
    },
    async settle(key, token, value, { ttlSeconds, hold = false }) {
      checkTexts(key, token, value);
      checkSeconds(ttlSeconds);
      const name = value === undefined ? "clear" : "settle";
      const numbers = [milliseconds(ttlSeconds), hold ? 1 : 0];
      const [reply] = await send([
        { name, key: keyOf(key), numbers, texts: value === undefined ? [token] : [token, value] },
      ]);
      return readSettled(reply);
    },
  };
}

const none: readonly never[] = [];

function counterCommand(key: string, { by, limit = maxCount, ttlSeconds, renew = false }: CounterChange): KeyCommand {
  // Most changes only read a counter, and need nothing else.
  if (by === 0) return { name: "read", key, numbers: none, texts: none };
  const numbers = [by, Math.min(limit, maxCount), milliseconds(ttlSeconds)];
  return { name: renew ? "renew" : "count", key, numbers, texts: none };
}

function milliseconds(seconds: number): number {
  return seconds * 1000;
}
