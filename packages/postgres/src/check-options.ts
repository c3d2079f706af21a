import { secondsOption } from "@doorcode/core/store";
import type { Pool } from "pg";
import { z } from "zod";

/** PostgreSQL silently cuts names at 63 bytes; the names of indexes need some of them for their endings. */
const maxNameBytes = 50;

const nameExpected = `expected a name of 1 to ${maxNameBytes} bytes`;

/** The shape of a name of a schema or of a table. */
export const nameOption: z.ZodType<string> = z.string(nameExpected).refine(isName, nameExpected);

/** The shape of a pool of pg. A connected `Client` has the same methods, but all callers would share its connection. */
export const poolOption: z.ZodType<Pool> = z.custom<Pool>(
  isPool,
  "expected a `new Pool({ … })` of pg, neither a Client nor a client of Redis",
);

/** The shape of the seconds after which a wait for PostgreSQL ends. */
export const timeoutOption: z.ZodType<number> = secondsOption(0.001, 60);

function isName(name: string): boolean {
  return name !== "" && Buffer.byteLength(name) <= maxNameBytes && !name.includes("\0");
}

function isPool(value: unknown): boolean {
  const { connect, query, totalCount }: Partial<Pool> = value ?? {};
  return typeof connect === "function" && typeof query === "function" && typeof totalCount === "number";
}
