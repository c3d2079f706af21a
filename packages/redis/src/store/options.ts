import { type Clock, clockOption, parseOptions, strictOptions, systemClock } from "@doorcode/core/store";
import { z } from "zod";
import type { RedisClient } from "../connection/client.ts";
import { clientOption, optionsExample, timeoutOption } from "../options.ts";

/** Options of `createRedisStore`. */
export interface RedisStoreOptions {
  /** The app's client. The store makes a connection of its own from it, which `doorcode.close()` ends. */
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
    clock: clockOption.default(() => systemClock),
  },
  optionsExample,
);

/**
 * Checks the options and adds the defaults.
 *
 * @throws TypeError naming the option, what was expected and the fix.
 */
export function checkStoreOptions(options: RedisStoreOptions): Required<RedisStoreOptions> {
  return parseOptions("createRedisStore", shape, options);
}
