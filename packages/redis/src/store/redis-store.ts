import { type CounterChange, checkCounterChange, checkSeconds, checkTexts, type Store } from "@doorcode/core/store";
import { createConnection } from "../connection/connection.ts";
import { createRedisChanges } from "./changes.ts";
import { checkStoreOptions, type RedisStoreOptions } from "./options.ts";
import { readCounter, readLease, readSettled } from "./replies.ts";
import type { Script } from "./script.ts";
import { incrementScript, leaseScript, putScript, settleScript } from "./scripts.ts";

/**
 * Creates a store on Redis or Valkey: one server, Sentinels or a cluster, for any number of processes.
 *
 * Each function takes one round trip, also for a list whose keys are on different nodes. The store keeps the contract of
 * {@link Store} while the primary lives; a failover may lose the last writes, since Redis replicates asynchronously. A
 * function without a reply in time rejects with `store_unavailable`, and its command is never sent again or later.
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
  const keyOf = (key: string) => checked.prefix + key;
  const run = (script: Script, name: string, values: readonly string[]) =>
    connection.run((redis, deadline) => script.run(redis, deadline, name, values));

  return {
    async get(keys) {
      checkTexts(...keys);
      const names = keys.map(keyOf);
      // All commands are sent before the first reply; ioredis finds the node of each.
      const values = await connection.run((redis) => Promise.all(names.map((name) => redis.hget(name, "v"))));
      return values.map((value) => value ?? undefined);
    },
    async put(key, value, { ttlSeconds }) {
      checkTexts(key, value);
      checkSeconds(ttlSeconds);
      if (value === undefined) await connection.run((redis) => redis.del(keyOf(key)));
      else await run(putScript, keyOf(key), [value, milliseconds(ttlSeconds)]);
    },
    async increment(changes) {
      changes.forEach(checkCounterChange);
      const commands = changes.map((change) => ({ key: keyOf(change.key), values: counterArguments(change) }));
      const replies = await connection.run((redis, deadline) =>
        Promise.all(commands.map(({ key, values }) => incrementScript.run(redis, deadline, key, values))),
      );
      return replies.map(readCounter);
    },
    async lease(key, token, { leaseSeconds, ttlSeconds }) {
      checkTexts(key, token);
      checkSeconds(leaseSeconds, ttlSeconds);
      const values = [token, milliseconds(leaseSeconds), milliseconds(ttlSeconds)];
      return readLease(await run(leaseScript, keyOf(key), values));
    },
    async settle(key, token, value, { ttlSeconds, hold = false }) {
      checkTexts(key, token, value);
      checkSeconds(ttlSeconds);
      const values = [token, milliseconds(ttlSeconds), flag(hold)];
      if (value !== undefined) values.push(value);
      return readSettled(await run(settleScript, keyOf(key), values));
    },
    changes: createRedisChanges({ ...checked, connection }),
  };
}

/** Lua numbers are doubles, so a count beyond this limit would be inexact. */
const maxCount = Number.MAX_SAFE_INTEGER;

function counterArguments({ by, limit = maxCount, ttlSeconds, renew = false }: CounterChange): readonly string[] {
  return [String(by), String(Math.min(limit, maxCount)), milliseconds(ttlSeconds), flag(renew)];
}

/** Scripts take strings only. */
function milliseconds(seconds: number): string {
  return String(seconds * 1000);
}

function flag(set: boolean): string {
  return set ? "1" : "0";
}
