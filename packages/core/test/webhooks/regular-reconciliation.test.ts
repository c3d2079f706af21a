import { expect, test } from "vitest";
import { createMemoryStore } from "../../src/store/memory.ts";
import { createManualClock } from "../../src/testing.ts";
import { type ReconcileOptions, type Reconciliation, reconcileRegularly } from "../../src/webhooks/reconcile.ts";
import { createGate } from "./receiver-setup.ts";

const nothing: Reconciliation = {
  ...{ listed: 0, changed: 0, accepted: 0, known: 0, failed: 0, remaining: 0 },
  next: undefined,
};

/** Starts reconciliations every minute, whose runs wait for the test. */
function setUp() {
  const clock = createManualClock();
  const store = createMemoryStore({ clock });
  const runs: ReconcileOptions[] = [];
  const gate = createGate();
  const reconciler = {
    async reconcile(options: ReconcileOptions) {
      runs.push(options);
      await gate.opened;
      return nothing;
    },
  };
  const start = () => reconcileRegularly({ store, name: "app", clock, publish() {} }, reconciler, 60);
  return { clock, store, runs, gate, start };
}

test("a run that is longer than its period is not begun again in another process", async () => {
  const { clock, runs, gate, start } = setUp();
  const processes = [start(), start()];
  await clock.advance(200_000);
  const runsMeanwhile = runs.length;
  gate.open();
  await clock.advance(200_000);
  for (const process of processes) await process.stop();

  expect(runsMeanwhile).toBe(1);
  expect(runs.length).toBeGreaterThan(1);
  expect(clock.pending).toBe(0);
});

test("a run whose lease was lost is aborted", async () => {
  const { clock, store, runs, gate, start } = setUp();
  const only = start();
  await clock.advance(10_000);
  await store.put("app:webhook:reconciled", undefined, { ttlSeconds: 60 });
  await store.lease("app:webhook:reconciled", "another", { leaseSeconds: 60, ttlSeconds: 60 });
  await clock.advance(30_000);
  gate.open();
  await only.stop();

  expect(runs.map(({ signal }) => signal?.aborted)).toEqual([true]);
});

test("a run goes back six days at most, because older events would be handled again", async () => {
  const { clock, store, runs, gate, start } = setUp();
  gate.open();
  await store.put("app:webhook:reconciled", String(clock.now() - 30 * 86_400_000), { ttlSeconds: 60 });
  const only = start();
  await clock.advance(6000);
  await only.stop();

  expect(runs.map(({ since }) => clock.now() - since.getTime())).toEqual([6 * 86_400_000]);
});
