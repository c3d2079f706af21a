import {
  type Clock,
  type CounterChange,
  checkCounterChange,
  checkSeconds,
  checkTexts,
  clockOption,
  parseOptions,
  type Store,
  strictOptions,
} from "@doorcode/core/store";
import { z } from "zod";
import type { RedisClient } from "../connection/client.ts";
import { createConnection } from "../connection/connection.ts";
import { clientOption, optionsExample, timeoutOption } from "../options.ts";
import { defineScripts } from "./scripts.ts";

/** Options of `createRedisStore`. */
export interface RedisStoreOptions {
  /** The app's client. The store makes its own connection from it, which `doorcode.close()` ends. */
  readonly client: RedisClient;
  /** Precedes every key. Default: none, since keys begin with the `name` given to `createDoorcode`. */
  readonly prefix?: string;
  /** The time after which a command without a reply rejects; above 0 and below 4. Default: 2. */
  readonly timeoutSeconds?: number;
  /** Measures that time. Lifetimes and leases use the server's clock. Default: the machine's clock. */
  readonly clock?: Clock;
}

const prefixExpected = 'expected a string such as "app:", without lone surrogates';

const shape = strictOptions(
  {
    client: clientOption,
    prefix: z
      .string(prefixExpected)
      .refine((prefix) => prefix.isWellFormed(), prefixExpected)
      .default(""),
    timeoutSeconds: timeoutOption,
    clock: clockOption,
  },
  optionsExample,
);

/**
 * Creates a store on Redis or Valkey: one server, Sentinels or a cluster, for any number of processes.
 *
 * Each function takes one round trip, also for a list whose keys are on different nodes. The store keeps the contract of {@link Store}
 * while the primary lives; a failover may lose the last writes, since Redis replicates asynchronously. A function without a reply in time
 * rejects with `store_unavailable`, and its command is never sent again or later.
 *
 * The store makes one connection from `client`. `doorcode.close()` ends it.
 *
 * @throws TypeError for a wrong option, naming the option, what was expected and the fix.
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
  const { prefix, ...connectionOptions } = parseOptions("createRedisStore", shape, options);
  const connection = createConnection("store", connectionOptions);
  const redis = defineScripts(connection.client);

  return {
    async get(keys) {
      checkTexts(...keys);
      const values = await connection.run(() => Promise.all(keys.map((key) => redis.hget(prefix + key, "v"))));
      return values.map((value) => value ?? undefined);
    },
    async put(key, value, { ttlSeconds }) {
      checkTexts(key, value);
      checkSeconds(ttlSeconds);
      await connection.run(async () => {
        if (value === undefined) await redis.del(prefix + key);
        else await redis.putEntry(prefix + key, value, ttlSeconds);
      });
    },
    async increment(changes) {
      changes.forEach(checkCounterChange);
      return connection.run(() => Promise.all(changes.map(changeOne)));
    },
    async lease(key, token, { leaseSeconds, ttlSeconds }) {
      checkTexts(key, token);
      checkSeconds(leaseSeconds, ttlSeconds);
      const lease = () => redis.takeLease(prefix + key, token, leaseSeconds, ttlSeconds);
      const [held, value] = await connection.run(lease);
      return { held: held === 1, value: value ?? undefined };
    },
    async settle(key, token, value, { ttlSeconds, hold = false }) {
      checkTexts(key, token, value);
      checkSeconds(ttlSeconds);
      const values = value === undefined ? [] : [value];
      const settle = () => redis.settleLease(prefix + key, token, ttlSeconds, hold ? 1 : 0, ...values);
      return (await connection.run(settle)) === 1;
    },
    async close() {
      connection.close();
    },
  };

  async function changeOne({ key, by, limit = maxCount, ttlSeconds, renew }: CounterChange) {
    const maxSum = Math.min(limit, maxCount);
    const [granted, count, left] = await redis.changeCounter(prefix + key, by, maxSum, ttlSeconds, renew ? 1 : 0);
    return { granted: granted === 1, count: Number(count), secondsLeft: secondsLeft(left) };
  }
}

/** Lua numbers are doubles, so a larger count would be inexact. */
const maxCount = Number.MAX_SAFE_INTEGER;

/** Rounds up, so that a client that waits this long does not come back before the counter expires. */
function secondsLeft(millisecondsLeft: number): number {
  return millisecondsLeft < 0 ? 0 : Math.max(1, Math.ceil(millisecondsLeft / 1000));
}
