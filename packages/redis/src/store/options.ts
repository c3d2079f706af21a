import { type Clock, clockRule, optionRule, readOptions, systemClock, withDefault } from "@doorcode/core/store";
import type { RedisClient } from "../connection/client.ts";
import { clientRule, optionsExample, timeoutRule } from "../options.ts";

/** Options of `createRedisStore`. */
export interface RedisStoreOptions {
  /** The app's client. The store makes a connection of its own from it, which ends when the client ends. */
  readonly client: RedisClient;
  /** Precedes every key. Default: none, since keys begin with the `name` given to `createDoorcode`. */
  readonly prefix?: string;
  /** The time after which a command without a reply rejects; above 0 and below 4. Default: 2. */
  readonly timeoutSeconds?: number;
  /** Measures that time. Lifetimes and leases use the server's clock. Default: the machine's clock. */
  readonly clock?: Clock;
}

const prefixExpected = 'expected a string such as "app:", without lone surrogates';

const prefixRule = optionRule(
  (value): value is string => typeof value === "string" && value.isWellFormed(),
  prefixExpected,
);

const rules = {
  client: clientRule,
  prefix: withDefault(prefixRule, ""),
  timeoutSeconds: timeoutRule,
  clock: withDefault(clockRule, systemClock),
};

/**
 * Checks the options and adds the defaults.
 *
 * @throws TypeError naming the option, the expectation and the fix.
 */
export function checkStoreOptions(options: RedisStoreOptions): Required<RedisStoreOptions> {
  return readOptions("createRedisStore", rules, options, optionsExample);
}
