import { methodsRule, type OptionRule, optionRule, withDefault } from "@doorcode/core/store";
import type { RedisClient } from "./connection/client.ts";

/** The rule of the option `client`. It checks methods, not the class, since the app may use another copy of ioredis. */
export const clientRule: OptionRule<RedisClient> = methodsRule(
  ["duplicate", "evalsha", "defineCommand"],
  "expected a client of ioredis 6, such as new Redis(process.env.REDIS_URL) or new Cluster(nodes); clients of other packages do not work",
);

const timeoutExpected = "expected seconds above 0 and below 4, since a webhook is answered within 4 seconds";

/** The rule of the option `timeoutSeconds`. */
export const timeoutRule: OptionRule<number> = withDefault(
  optionRule((value): value is number => typeof value === "number" && 0 < value && value < 4, timeoutExpected),
  2,
);

/** Options as a developer writes them. */
export const optionsExample = "{ client: new Redis(process.env.REDIS_URL) }";
