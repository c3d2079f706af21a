import { createMemoryStore } from "@doorcode/core";
import type { Clock, Store } from "@doorcode/core/store";
import { createManualClock } from "@doorcode/core/testing";
import { describe, expect, test } from "vitest";
import { clockSkewConformance, connectionLossConformance, storeConformance } from "../src/index.ts";
import { brokenClients } from "./broken/clients.ts";
import { brokenCounters } from "./broken/counters.ts";
import { brokenLeases } from "./broken/leases.ts";
import { brokenValues } from "./broken/values.ts";
import { behindWire, type Client, rightClient } from "./fake-wire.ts";

const patience = { timeout: 60_000 };
const checks = [...storeConformance, ...clockSkewConformance, ...connectionLossConformance];

test("the conformance checks notice each broken store, and each check notices one", patience, async () => {
  const found = await Promise.all([
    // Some clients never settle, and fail only when the time limit of a check is over: they wait for it together.
    ...[...brokenCounters, ...brokenValues, ...brokenLeases].map(async ({ fault, spoil }) => ({
      fault,
      failed: await failuresOf(spoil),
    })),
    ...brokenClients.map(async ({ fault, client }) => ({ fault, failed: await failuresBehind(client) })),
  ]);

  expect(found.filter(({ failed }) => failed.length === 0)).toEqual([]);
  expect(new Set(found.flatMap(({ failed }) => failed))).toEqual(new Set(checks.map(({ title }) => title)));
});

describe("the conformance checks pass for", () => {
  test("a correct store", async () => {
    expect(await failuresOf((store) => store)).toEqual([]);
  });

  test("a store whose client sends once, with a time limit", async () => {
    expect(await failuresBehind(rightClient)).toEqual([]);
  });
});

test("no two checks have the same title", () => {
  expect(new Set(checks.map(({ title }) => title)).size).toBe(checks.length);
});

/** Returns the titles of the checks that a store with this fault fails. Each check gets a new store. */
async function failuresOf(spoil: (store: Store, appClock: Clock) => Store): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const { title, check } of [...storeConformance, ...clockSkewConformance]) {
    const clock = createManualClock();
    let skew = 0;
    const store = spoil(createMemoryStore({ clock }), { ...clock, now: () => clock.now() + skew });
    const skewApp = (milliseconds: number) => {
      skew = milliseconds;
    };
    await check(store, { advance: clock.advance, skewApp }).catch(() => failed.push(title));
  }
  return failed;
}

/** Returns the titles of the checks that a store with this client fails. They run at once, because some time out. */
async function failuresBehind(client: Client): Promise<readonly string[]> {
  const failed = await Promise.all(
    connectionLossConformance.map(({ title, check }) => {
      const clock = createManualClock();
      const { store, wire } = behindWire(createMemoryStore({ clock }), client);
      const tools = { advance: clock.advance, connection: wire, settlesWithinSeconds: 3 };
      return check(store, tools).then(
        () => [],
        () => [title],
      );
    }),
  );
  return failed.flat();
}
