import type { Increment, Store } from "@doorcode/core";
import { createConnection } from "../connection/connection.ts";
import { warnOfEviction } from "../connection/eviction.ts";
import { createOwnClient } from "../connection/own-client.ts";
import { flag, limitOf, milliseconds, wellFormed, wholeNumber } from "./arguments.ts";
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
 * const doorcode = createDoorcode({ store: createRedisStore({ client }) });
 */
export function createRedisStore(options: RedisStoreOptions): Store {
  const { client, prefix, timeoutSeconds, clock } = checkOptions(options);
  const own = createOwnClient(client, timeoutSeconds * 1000);
  const connection = createConnection(own, timeoutSeconds * 1000, clock);
  warnOfEviction(own, "the attempts that were used up");

  const keyOf = (key: string) => prefix + wellFormed(key);
  const run = (script: Script, name: string, values: readonly string[]) =>
    connection.ask((redis, turn) => script.run(redis, turn, name, values));

  return {
    async get(keys) {
      const names = keys.map(keyOf);
      // Sent together, answered together: ioredis finds the node of each.
      const values = await connection.ask((redis) => Promise.all(names.map((name) => redis.hget(name, "v"))));
      return values.map((value) => value ?? undefined);
    },
    async put(key, value, { ttlSeconds }) {
      const [name, lifetime] = [keyOf(key), milliseconds(ttlSeconds)];
      if (value === undefined) await connection.ask((redis) => redis.del(name));
      else await run(putScript, name, [wellFormed(value), lifetime]);
    },
    async increment(changes) {
      const questions = changes.map((change) => ({ key: keyOf(change.key), values: counterArguments(change) }));
      const replies = await connection.ask((redis, turn) =>
        Promise.all(questions.map(({ key, values }) => incrementScript.run(redis, turn, key, values))),
      );
      return replies.map(readCounter);
    },
    async lease(key, token, { leaseSeconds, ttlSeconds }) {
      const values = [wellFormed(token), milliseconds(leaseSeconds), milliseconds(ttlSeconds)];
      return readLease(await run(leaseScript, keyOf(key), values));
    },
    async settle(key, token, value, { ttlSeconds, hold = false }) {
      const values = [wellFormed(token), milliseconds(ttlSeconds), flag(hold)];
      if (value !== undefined) values.push(wellFormed(value));
      return readSettled(await run(settleScript, keyOf(key), values));
    },
  };
}

function counterArguments({ by, limit, ttlSeconds, renew = false }: Increment): readonly string[] {
  return [wholeNumber(by), limitOf(limit), milliseconds(ttlSeconds), flag(renew)];
}
