import type { Pool } from "pg";

/**
 * Checks that options are there, and that each is one that is known: one that was misspelt would be passed over silently.
 *
 * @param place - the function whose options they are.
 * @throws TypeError that names the option, or says what to pass.
 */
export function checkKeys(place: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`${place}: options are missing: pass { ${known[0]}: … }.`);
  }
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new TypeError(`${place}: options: Unrecognized key: "${unknown}": expected ${known.join(", ")}.`);
}

/**
 * Checks a pool of pg. A connected `Client` has the same verbs, and would be shared by everybody at once.
 *
 * @throws TypeError that says what to pass.
 */
export function checkPool(place: string, pool: Partial<Pool> | undefined): void {
  const isPool =
    typeof pool?.connect === "function" && typeof pool.query === "function" && typeof pool.totalCount === "number";
  if (isPool) return;
  throw new TypeError(
    `${place}: pool is missing, or no pool: pass a \`new Pool({ … })\` of pg, neither a Client nor a client of Redis.`,
  );
}
