import { clockSkewChecks } from "./clock-skew.ts";
import { connectionLossChecks } from "./connection-loss.ts";
import { counterChecks } from "./counters.ts";
import { leaseChecks } from "./leases.ts";
import { raceChecks } from "./races.ts";
import { refusalChecks } from "./refusals.ts";
import type { ClockSkewTools, ConnectionLossTools, StoreCheck } from "./store-check.ts";
import { textChecks } from "./texts.ts";
import { valueChecks } from "./values.ts";

export type {
  BreakableConnection,
  ClockSkewTools,
  ConnectionLossTools,
  StoreCheck,
  StoreCheckTools,
} from "./store-check.ts";

/**
 * The checks of the whole contract of {@link Store}. Run each of them against your store, on the real server.
 *
 * The checks need no test framework and no empty store, and their entries expire within a minute. Run them one after
 * the other. With real waiting they take about twenty seconds. The server may take up to a second to answer.
 * {@link clockSkewConformance} and {@link connectionLossConformance} need more tools, so they are separate lists. Run
 * them too: a check that did not run has not passed.
 *
 * @example
 * import { createMemoryStore } from "@doorcode/core";
 * import { storeConformance } from "@doorcode/store-conformance";
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
  ...textChecks,
  ...counterChecks,
  ...leaseChecks,
  ...refusalChecks,
  ...raceChecks,
];

/**
 * The checks that a store runs on its own clock: apps whose clocks are an hour ahead or behind get the same results.
 *
 * They do not apply to a store that uses the app's clock, such as the memory store.
 */
export const clockSkewConformance: readonly StoreCheck<ClockSkewTools>[] = clockSkewChecks;

/**
 * The checks that a store fails closed when its connection is lost, and recovers by itself: each call rejects in time,
 * makes its change once or not at all, and never gets the answer of another call.
 */
export const connectionLossConformance: readonly StoreCheck<ConnectionLossTools>[] = connectionLossChecks;
