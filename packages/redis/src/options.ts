import { objectOption } from "@doorcode/core/store";
import { z } from "zod";
import type { RedisClient } from "./connection/client.ts";

/** Options as a developer writes them. */
export const optionsExample = "{ client: new Redis(process.env.REDIS_URL) }";

/** The option `client`. Its methods are checked, and not its class, since the app may use another copy of ioredis. */
export const clientOption: z.ZodType<RedisClient, RedisClient> = objectOption<RedisClient>(
  ["duplicate", "defineCommand"],
  "expected a client of ioredis 6, such as new Redis(process.env.REDIS_URL) or new Cluster(nodes); " +
    "clients of other packages do not work",
);

const timeoutExpected = "expected seconds above 0 and below 4, since a webhook is answered within 4 seconds";

/** The option `timeoutSeconds`. */
export const timeoutOption: z.ZodType<number, number | undefined> = z
  .number(timeoutExpected)
  .gt(0, timeoutExpected)
  .lt(4, timeoutExpected)
  .default(2);
