import { describe, expect, test } from "vitest";
import type { Clock } from "../../src/primitives/clock.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { clockSkewConformance, connectionLossConformance, storeConformance } from "../../src/store-conformance.ts";
import { createManualClock } from "../../src/testing.ts";
import { brokenClients } from "./broken/clients.ts";
import { brokenCounters } from "./broken/counters.ts";
import { brokenLeases } from "./broken/leases.ts";
import { brokenValues } from "./broken/values.ts";
import { behindWire, type Client, rightClient } from "./fake-wire.ts";

const patience = { timeout: 60_000 };

/** Every broken store, by what is wrong with it, and the checks that fail on it. */
const broken = [
  ...[...brokenCounters, ...brokenValues, ...brokenLeases].map(({ spoil, ...store }) => ({
    ...store,
    failures: once(() => failuresOf(spoil)),
  })),
  ...brokenClients.map(({ client, ...store }) => ({ ...store, failures: once(() => failuresBehind(client)) })),
];

describe("the conformance is denied to a store that", () => {
  test.each(broken)("$fault", patience, async ({ failures, noticedBy }) => {
    expect(await failures()).toContain(noticedBy);
  });

  test("is broken, by these checks and no others", patience, async () => {
    const noticed: string[] = [];
    for (const { fault, failures } of broken) noticed.push([fault, ...(await failures())].join("\n  - "));
    await expect(`${noticed.join("\n\n")}\n`).toMatchFileSnapshot("broken/noticed.txt");
  });
});

describe("the conformance is granted to", () => {
  test("a store that is not spoilt", async () => {
    expect(await failuresOf((store) => store)).toEqual([]);
  });

  test("a store that asks once, and waits for a while", async () => {
    expect(await failuresBehind(rightClient)).toEqual([]);
  });
});

test("no two checks have one title", () => {
  const checks = [...storeConformance, ...clockSkewConformance, ...connectionLossConformance];
  expect(new Set(checks.map(({ title }) => title)).size).toBe(checks.length);
});

/** The titles of the checks that the spoilt store does not pass, each on a store of its own. */
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

/** The titles of the checks that a store does not pass whose client is this one. At once, since some wait in vain. */
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

/** Two tests look at what a broken store fails, which takes a moment to find out. */
function once<Result>(find: () => Promise<Result>): () => Promise<Result> {
  let found: Promise<Result> | undefined;
  return () => {
    found ??= find();
    return found;
  };
}
