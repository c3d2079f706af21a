import { type Clock, systemClock } from "@doorcode/core/store";
import { z } from "zod";
import type { RedisClient } from "./connection/client.ts";

/** Options as a developer writes them. */
export const optionsExample = "{ client: new Redis(process.env.REDIS_URL) }";

/** The option `client`. Its methods are checked, and not its class, since the app may use another copy of ioredis. */
export const clientOption: z.ZodType<RedisClient> = withMethods(
  ["duplicate", "defineCommand"],
  "expected a client of ioredis 6, such as new Redis(process.env.REDIS_URL) or new Cluster(nodes); " +
    "clients of other packages do not work",
);

/** The option `timeoutSeconds`. */
export const timeoutOption: z.ZodType<number> = secondsOption(
  (seconds) => seconds > 0 && seconds < 4,
  "expected seconds above 0 and below 4, since a webhook is answered within 4 seconds",
).default(2);

/** The option `clock`. */
export const clockOption: z.ZodType<Clock> = withMethods<Clock>(
  ["now", "schedule"],
  "expected a Clock with now() and schedule(), such as createManualClock(); leave it out for the machine's clock",
).default(() => systemClock);

/** Creates the schema of an option that is a number of seconds; fractions count. */
export function secondsOption(isRight: (seconds: number) => boolean, expected: string): z.ZodType<number> {
  return z.custom<number>((value) => typeof value === "number" && isRight(value), expected);
}

function withMethods<Value>(methods: readonly string[], expected: string): z.ZodType<Value> {
  const missing = (value: unknown) => methods.find((name) => typeof Object(value)[name] !== "function");
  return z.custom<Value>((value) => missing(value) === undefined, {
    error: ({ input }) => `${expected}; this value has no ${missing(input)}()`,
  });
}
