import type { CounterChange, Store } from "@doorcode/core/store";
import { checkCounterChange, checkSeconds, checkTexts } from "@doorcode/core/store";
import { createConnection } from "../connection/connection.ts";
import { warnOfEviction } from "../connection/eviction.ts";
import { createOwnClient } from "../connection/own-client.ts";
import { checkOptions, type RedisStoreOptions } from "./options.ts";
import { readCounter, readLease, readSettled } from "./replies.ts";
import type { Script } from "./script.ts";
import { incrementScript, leaseScript, putScript, settleScript } from "./scripts.ts";

/**
 * Creates a store on Redis or Valkey: one server, Sentinels or a cluster, for any number of processes.
 *
 * Each verb is one round trip, also for a list, whose keys may live on different nodes. It promises the contract of
 * {@link Store} as long as the primary lives; a fail-over may lose the last writes, since Redis replicates
 * asynchronously. A verb without an answer in time rejects with `store_unavailable`, is not sent again and not sent later.
 *
 * The store makes one connection of its own from `client`, which ends when `client` does.
 *
 * @throws TypeError for a wrong option, naming it and the fix.
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
  const { client, prefix, timeoutSeconds, clock } = checkOptions(options);
  const own = createOwnClient(client, timeoutSeconds * 1000);
  const connection = createConnection(own, { asker: "store", timeoutSeconds, clock });
  warnOfEviction(own, "the attempts that were used up");

  const keyOf = (key: string) => prefix + key;
  const run = (script: Script, name: string, values: readonly string[]) =>
    connection.ask((redis, turn) => script.run(redis, turn, name, values));

  return {
    async get(keys) {
      checkTexts(...keys);
      const names = keys.map(keyOf);
      // Sent together, answered together: ioredis finds the node of each.
      const values = await connection.ask((redis) => Promise.all(names.map((name) => redis.hget(name, "v"))));
      return values.map((value) => value ?? undefined);
    },
    async put(key, value, { ttlSeconds }) {
      checkTexts(key, value);
      checkSeconds(ttlSeconds);
      if (value === undefined) await connection.ask((redis) => redis.del(keyOf(key)));
      else await run(putScript, keyOf(key), [value, milliseconds(ttlSeconds)]);
    },
    async increment(changes) {
      changes.forEach(checkCounterChange);
      const questions = changes.map((change) => ({ key: keyOf(change.key), values: counterArguments(change) }));
      const replies = await connection.ask((redis, turn) =>
        Promise.all(questions.map(({ key, values }) => incrementScript.run(redis, turn, key, values))),
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
  };
}

/** A number of Lua is a double: a limit beyond this would let a count be inexact. */
const maxCount = Number.MAX_SAFE_INTEGER;

function counterArguments({ by, limit = maxCount, ttlSeconds, renew = false }: CounterChange): readonly string[] {
  return [String(by), String(Math.min(limit, maxCount)), milliseconds(ttlSeconds), flag(renew)];
}

/** Scripts take texts only. */
function milliseconds(seconds: number): string {
  return String(seconds * 1000);
}

function flag(set: boolean): string {
  return set ? "1" : "0";
}
