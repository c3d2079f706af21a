import { type Clock, systemClock } from "@doorcode/core/clock";
import { checkClock, checkKeys, checkTimeout } from "../check-options.ts";
import { isClient, type RedisClient } from "../connection/client.ts";

/** Options of `createRedisStore`. */
export interface RedisStoreOptions {
  /** The app's client. It stays the app's: the store makes a connection of its own from it, which ends with it. */
  readonly client: RedisClient;
  /** Stands before every key; none when left out, since keys begin with the `name` given to `createDoorcode`. */
  readonly prefix?: string;
  /** How long a verb waits for its answer before it rejects; above 0 and below 4, 2 when left out. */
  readonly timeoutSeconds?: number;
  /** Times the waiting. Lifetimes and leases run on the server's clock. The machine's clock when left out. */
  readonly clock?: Clock;
}

/** Options that were checked, with their defaults. */
export type CheckedOptions = Required<RedisStoreOptions>;

const names: readonly (keyof RedisStoreOptions)[] = ["client", "prefix", "timeoutSeconds", "clock"];

/**
 * Checks the options and adds the defaults.
 *
 * @throws TypeError that names the option, what was expected and the fix.
 */
export function checkOptions(options: RedisStoreOptions): CheckedOptions {
  checkKeys("createRedisStore", options, names);
  const { client, prefix = "", timeoutSeconds = 2, clock = systemClock } = options;
  if (!isClient(client)) {
    throw new TypeError(
      "createRedisStore: client must be a client of ioredis 6, such as new Redis(process.env.REDIS_URL), new Redis({ sentinels, name }) or new Cluster(nodes). Clients of other packages are not taken.",
    );
  }
  if (typeof prefix !== "string" || !prefix.isWellFormed()) {
    throw new TypeError('createRedisStore: prefix must be a text, such as "app:".');
  }
  checkTimeout("createRedisStore", timeoutSeconds);
  checkClock("createRedisStore", clock);
  return { client, prefix, timeoutSeconds, clock };
}
