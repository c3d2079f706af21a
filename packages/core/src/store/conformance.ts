import { counterChecks } from "./conformance/counters.ts";
import { leaseChecks } from "./conformance/leases.ts";
import { raceChecks } from "./conformance/races.ts";
import type { StoreCheck } from "./conformance/store-check.ts";
import { valueChecks } from "./conformance/values.ts";

export type { StoreCheck, StoreCheckTools } from "./conformance/store-check.ts";

/**
 * Checks the whole contract of {@link Store}: run every check of it against a store of your own, on the real server.
 *
 * The checks need no test framework and no empty store, and what they write expires within a minute. Run them one after
 * the other. With real waiting they take about twenty seconds, and a server may take up to a second to answer.
 *
 * @example
 * import { createMemoryStore } from "@doorcode/core";
 * import { storeConformance } from "@doorcode/core/store-conformance";
 * import { setTimeout as wait } from "node:timers/promises";
 * import { test } from "node:test";
 *
 * const store = createMemoryStore();
 * for (const { title, check } of storeConformance) {
 *   test(title, () => check(store, { advance: (milliseconds) => wait(milliseconds + 50) }));
 * }
 */
export const storeConformance: readonly StoreCheck[] = [
  ...valueChecks,
  ...counterChecks,
  ...leaseChecks,
  ...raceChecks,
];
