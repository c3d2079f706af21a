import { secondsOption } from "@doorcode/core/store";
import type { Pool } from "pg";
import { z } from "zod";

/** The shape of a pool of pg. A connected `Client` has the same methods, but all callers would share its connection. */
export const poolOption: z.ZodType<Pool> = z.custom<Pool>(
  isPool,
  "expected a `new Pool({ … })` of pg, neither a Client nor a client of Redis",
);

/** The shape of the seconds after which a wait for PostgreSQL ends. */
export const timeoutOption: z.ZodType<number> = secondsOption(0.001, 60);

const expectedName = "expected a name of 1 to 50 letters, digits, _ or -";

/**
 * The shape of the name of a schema or of a table. Such a name needs no escaping in SQL. PostgreSQL silently cuts names at 63 bytes, and
 * the names of indexes need some of them for their endings.
 */
export const nameOption: z.ZodType<string> = z.string(expectedName).regex(/^[\w-]{1,50}$/, expectedName);

function isPool(value: unknown): boolean {
  const { connect, query, totalCount }: Partial<Pool> = value ?? {};
  return typeof connect === "function" && typeof query === "function" && typeof totalCount === "number";
}
