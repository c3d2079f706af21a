import { clockSkewChecks } from "./store/conformance/clock-skew.ts";
import { connectionLossChecks } from "./store/conformance/connection-loss.ts";
import { counterChecks } from "./store/conformance/counters.ts";
import { leaseChecks } from "./store/conformance/leases.ts";
import { raceChecks } from "./store/conformance/races.ts";
import { refusalChecks } from "./store/conformance/refusals.ts";
import type { ClockSkewTools, ConnectionLossTools, StoreCheck } from "./store/conformance/store-check.ts";
import { textChecks } from "./store/conformance/texts.ts";
import { valueChecks } from "./store/conformance/values.ts";

export type {
  ClockSkewTools,
  ConnectionLossTools,
  StoreCheck,
  StoreCheckTools,
  Wire,
} from "./store/conformance/store-check.ts";

/**
 * Checks the whole contract of {@link Store}: run every check of it against a store of your own, on the real server.
 *
 * The checks need no test framework and no empty store, and what they write expires within a minute. Run them one after
 * the other. With real waiting they take about twenty seconds, and a server may take up to a second to answer.
 * {@link clockSkewConformance} and {@link connectionLossConformance} need more tools, and are lists of their own: what is
 * not run is not passed.
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
  ...textChecks,
  ...counterChecks,
  ...leaseChecks,
  ...refusalChecks,
  ...raceChecks,
];

/**
 * Checks that a store runs on one clock of its own: apps whose clocks are an hour ahead and behind see the same.
 *
 * Not for a store that has no clock but the app's, as the memory store of one process has.
 */
export const clockSkewConformance: readonly StoreCheck<ClockSkewTools>[] = clockSkewChecks;

/**
 * Checks that a store fails closed when its connection is lost, and goes on by itself when it is back: each verb rejects in
 * time, what it was to change is changed once or not at all, and nobody is given another's answer.
 */
export const connectionLossConformance: readonly StoreCheck<ConnectionLossTools>[] = connectionLossChecks;
