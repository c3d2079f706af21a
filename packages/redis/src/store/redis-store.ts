import {
  type CounterChange,
  type CounterState,
  checkCounterChange,
  checkSeconds,
  checkTexts,
  type LeaseState,
  type Store,
} from "@doorcode/core/store";
import { createConnection } from "../connection/connection.ts";
import { checkStoreOptions, type RedisStoreOptions } from "./options.ts";
import { defineScripts } from "./scripts.ts";

/**
 * Creates a store on Redis or Valkey: one server, Sentinels or a cluster, for any number of processes.
 *
 * Each function takes one round trip, also for a list whose keys are on different nodes. The store keeps the contract of
 * {@link Store} while the primary lives; a failover may lose the last writes, since Redis replicates asynchronously. A function
 * without a reply in time rejects with `store_unavailable`, and its command is never sent again or later.
 *
 * The store makes one connection of its own from `client`. `doorcode.close()` ends it.
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
  const { prefix, ...connectionOptions } = checkStoreOptions(options);
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
        else await redis.putEntry(prefix + key, value, milliseconds(ttlSeconds));
      });
    },
    async increment(changes) {
      changes.forEach(checkCounterChange);
      return connection.run(() => Promise.all(changes.map(changeOne)));
    },
    async lease(key, token, { leaseSeconds, ttlSeconds }) {
      checkTexts(key, token);
      checkSeconds(leaseSeconds, ttlSeconds);
      const times = [milliseconds(leaseSeconds), milliseconds(ttlSeconds)] as const;
      return readLease(await connection.run(() => redis.takeLease(prefix + key, token, ...times)));
    },
    async settle(key, token, value, { ttlSeconds, hold = false }) {
      checkTexts(key, token, value);
      checkSeconds(ttlSeconds);
      const lifetime = milliseconds(ttlSeconds);
      const values = value === undefined ? [] : [value];
      const settle = () => redis.settleLease(prefix + key, token, lifetime, hold ? 1 : 0, ...values);
      return (await connection.run(settle)) === 1;
    },
    async close() {
      connection.close();
    },
  };

  async function changeOne({ key, by, limit = maxCount, ttlSeconds, renew }: CounterChange): Promise<CounterState> {
    const lifetime = milliseconds(ttlSeconds);
    const maxSum = Math.min(limit, maxCount);
    return readCounter(await redis.changeCounter(prefix + key, by, maxSum, lifetime, renew ? 1 : 0));
  }
}

/** Lua numbers are doubles, so a larger count would be inexact. */
const maxCount = Number.MAX_SAFE_INTEGER;

function milliseconds(seconds: number): number {
  return seconds * 1000;
}

function readCounter(reply: unknown): CounterState {
  const [granted, count, millisecondsLeft] = listOf(reply);
  return { granted: granted === 1, count: Number(count), secondsLeft: secondsLeft(Number(millisecondsLeft)) };
}

/** Rounds up, so that a client that waits this long does not come back before the counter expires. */
function secondsLeft(millisecondsLeft: number): number {
  return millisecondsLeft < 0 ? 0 : Math.max(1, Math.ceil(millisecondsLeft / 1000));
}

function readLease(reply: unknown): LeaseState {
  const [held, value] = listOf(reply);
  return { held: held === 1, value: typeof value === "string" ? value : undefined };
}

function listOf(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply;
  throw new TypeError("The reply of Redis cannot be read: give the store a client of ioredis 6.");
}
