import { type Clock, systemClock } from "@doorcode/core/clock";
import type { Pool } from "pg";
import { z } from "zod";

/** A pool of pg. A connected `Client` has the same methods, but all callers would share its connection. */
export const poolSchema: z.ZodType<Pool> = z.custom<Pool>(
  isPool,
  "expected a `new Pool({ … })` of pg, neither a Client nor a client of Redis",
);

/** The clock of all waiting. */
export const clockSchema: z.ZodType<Clock, Clock | undefined> = z
  .custom<Clock>(isClock, "expected a Clock with now() and schedule(); leave it out for the machine's clock")
  .default(() => systemClock);

/** True or false; true when left out. */
export const switchSchema: z.ZodType<boolean, boolean | undefined> = z.boolean("expected true or false").default(true);

/**
 * The name of a schema or of a table. It needs no escaping in SQL. PostgreSQL silently cuts names at 63 bytes, and the names of
 * indexes need some of them for their endings.
 */
export const nameSchema: z.ZodType<string> = z.string(expectedName()).regex(/^[\w-]{1,50}$/, expectedName());

/** A number of seconds within these bounds; fractions count. */
export function secondsSchema(min: number, max: number): z.ZodType<number> {
  const expected = `expected seconds from ${min} to ${max}`;
  return z.number(expected).min(min, expected).max(max, expected);
}

/** A whole number within these bounds. */
export function wholeNumberSchema(min: number, max: number): z.ZodType<number> {
  const expected = `expected a whole number from ${min} to ${max}`;
  return z.int(expected).min(min, expected).max(max, expected);
}

function expectedName(): string {
  return "expected a name of 1 to 50 letters, digits, _ or -";
}

function isPool(value: unknown): boolean {
  const { connect, query, totalCount }: Partial<Pool> = value ?? {};
  return typeof connect === "function" && typeof query === "function" && typeof totalCount === "number";
}

function isClock(value: unknown): boolean {
  const { now, schedule }: Partial<Clock> = value ?? {};
  return typeof now === "function" && typeof schedule === "function";
}
