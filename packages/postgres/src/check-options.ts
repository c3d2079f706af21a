import { type OptionRule, optionRule, secondsRule } from "@doorcode/core/store";
import type { Pool } from "pg";

/** PostgreSQL silently cuts names at 63 bytes; the names of indexes need some of them for their endings. */
const maxNameBytes = 50;

/** The rule of a name of a schema or of a table. */
export const nameRule: OptionRule<string> = optionRule(isName, `expected a name of 1 to ${maxNameBytes} bytes`);

/** The rule of a pool of pg. A connected `Client` has the same methods, but all callers would share its connection. */
export const poolRule: OptionRule<Pool> = optionRule(
  isPool,
  "expected a `new Pool({ … })` of pg, neither a Client nor a client of Redis",
);

/** The rule of an option that is true or false. */
export const booleanRule: OptionRule<boolean> = optionRule(
  (value): value is boolean => typeof value === "boolean",
  "expected true or false",
);

/** The rule of the seconds after which a wait for PostgreSQL ends. */
export const timeoutRule: OptionRule<number> = secondsRule(0.001, 60);

function isName(value: unknown): value is string {
  if (typeof value !== "string" || value === "" || value.includes("\0")) return false;
  return Buffer.byteLength(value) <= maxNameBytes;
}

function isPool(value: unknown): value is Pool {
  const { connect, query, totalCount }: Partial<Pool> = value ?? {};
  return typeof connect === "function" && typeof query === "function" && typeof totalCount === "number";
}
