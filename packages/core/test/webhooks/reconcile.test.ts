import { describe, expect, test } from "vitest";
import type { MessageRecord, Messages } from "../../src/service/messages.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { createManualClock } from "../../src/testing.ts";
import type { EventOutcome } from "../../src/webhooks/handlers.ts";
import type { Receiver } from "../../src/webhooks/receiver.ts";
import {
  createReconcile,
  type ReconcileOptions,
  type Reconciliation,
  reconcileRegularly,
} from "../../src/webhooks/reconcile.ts";
import { createGate, eventOf } from "./receiver-setup.ts";

const since = new Date("2026-09-21T14:13:10.000Z");

/** Creates a record of the service's list: a message whose last status came at that time of the minute. */
function record(message_id: string, time: string, status = "SENT"): MessageRecord {
  return { message_id, status, status_updated_at: `2026-09-21T14:13:${time}Z` };
}

/** Creates a reconciliation over a service that lists these messages. */
function setUp(records: readonly MessageRecord[], outcomes: Readonly<Record<string, EventOutcome>> = {}) {
  const clock = createManualClock();
  const unused = () => Promise.reject(new Error("Not used in this test."));
  const signals: unknown[] = [];
  const messages: Messages = {
    send: unused,
    async list(options) {
      signals.push(options?.signal);
      return records;
    },
  };
  const received: string[] = [];
  const keys: string[] = [];
  const instants: number[] = [];
  /** Called with the id of each message that is received, before its outcome. */
  const hold = { before: async (_id: string) => {} };
  const receiver: Receiver = {
    async receive(event, receivedAtMilliseconds) {
      const id = String(event.data.message_id);
      received.push(id);
      keys.push(event.key);
      instants.push(receivedAtMilliseconds);
      await hold.before(id);
      return outcomes[id] ?? "handled";
    },
    receiveUnreadable: unused,
    close: unused,
  };
  return {
    reconcile: createReconcile(messages, receiver, { clock, publish() {} }),
    clock,
    received,
    keys,
    instants,
    signals,
    hold,
  };
}

describe("a reconciliation", () => {
  test("receives the changes since the beginning of the outage, the oldest first, under the keys of their webhooks", async () => {
    const { reconcile, received, keys, instants, clock } = setUp([
      record("newest", "30"),
      record("too old", "09.999"),
      record("oldest", "10"),
      record("middle", "20.5", "DELIVERED"),
    ]);
    const result = await reconcile({ since });
    const webhook = eventOf({ event: "message.status.update", data: record("oldest", "10") });

    expect(received).toEqual(["oldest", "middle", "newest"]);
    expect(keys[0]).toBe(webhook.key);
    expect(instants).toEqual(Array(3).fill(clock.now()));
    expect(result).toEqual({
      listed: 4,
      changed: 3,
      accepted: 3,
      known: 0,
      failed: 0,
      next: undefined,
    });
  });

  test("skips what is no readable change: queued, without an id, a status or an instant", async () => {
    const { reconcile, received } = setUp([
      record("queued", "20", "QUEUED"),
      { ...record("no id", "20"), message_id: undefined },
      { ...record("no status", "20"), status: undefined },
      { ...record("no instant", "20"), status_updated_at: undefined },
      { ...record("unreadable", "20"), status_updated_at: "soon" },
      // By the name of its instant, this is a verification.
      { message_id: "otp", verification_id: "ver_1", status: "SENT", updated_at: "2026-09-21T14:13:20Z" },
    ]);
    expect(await reconcile({ since })).toMatchObject({ listed: 6, changed: 0 });
    expect(received).toEqual([]);
  });

  test("receives a message that is listed with the id and the instant of its verification, too", async () => {
    const verification = { verification_id: "ver_1", updated_at: "2026-09-21T14:13:20Z" };
    const { reconcile, received } = setUp([{ ...record("both", "20"), ...verification }]);
    expect(await reconcile({ since })).toMatchObject({ changed: 1, accepted: 1 });
    expect(received).toEqual(["both"]);
  });

  test("counts what was handled now, what was known, and what failed, and goes on from the first failure", async () => {
    const outcomes: readonly EventOutcome[] = ["handled", "duplicate", "stale", "failed", "unfinished", "superseded"];
    const records = [...outcomes, "away"].map((id, index) => record(id, String(11 + index)));
    const ofIds = Object.fromEntries(outcomes.map((outcome) => [outcome, outcome]));
    const { reconcile } = setUp(records, { ...ofIds, away: "store_unavailable" });
    expect(await reconcile({ since })).toMatchObject({
      accepted: 1,
      known: 2,
      failed: 4,
      next: new Date("2026-09-21T14:13:14Z"),
    });
  });

  test("receives nothing more after its signal has aborted, and passes the signal to the list", async () => {
    const records = Array.from({ length: 25 }, (_, index) => record(`msg_${index}`, String(20 + index)));
    const { reconcile, received, signals, hold } = setUp(records);
    const controller = new AbortController();
    const reason = new Error("enough");
    hold.before = async () => controller.abort(reason);
    await expect(reconcile({ since, signal: controller.signal })).rejects.toBe(reason);
    expect(received).toHaveLength(10);
    expect(signals).toEqual([controller.signal]);
  });

  test.each([
    ["no options", undefined, /such as \{ since: new Date/],
    ["a time as text", { since: "2026-09-21T14:13:10Z" }, /since: expected a Date/],
    ["a date that is none", { since: new Date(Number.NaN) }, /since: expected a Date/],
    ["a date before 1970", { since: new Date(-1) }, /since: expected a Date/],
    ["an unknown option", { since, until: since }, /unknown option until/],
  ])("refuses %s before it asks the service", async (_what, options, message) => {
    const { reconcile, signals } = setUp([record("msg_1", "20")]);
    const call = reconcile(options as never);
    await expect(call).rejects.toThrow(TypeError);
    await expect(call).rejects.toThrow(message);
    expect(signals).toEqual([]);
  });
});

const nothing: Reconciliation = {
  ...{ listed: 0, changed: 0, accepted: 0, known: 0, failed: 0 },
  next: undefined,
};

/** Starts reconciliations every minute, whose runs wait for the test. */
function setUpRegular() {
  const clock = createManualClock();
  const store = createMemoryStore({ clock });
  const runs: ReconcileOptions[] = [];
  const gate = createGate();
  const service = { isDown: false };
  async function reconcile(options: ReconcileOptions) {
    runs.push(options);
    await gate.opened;
    if (service.isDown) throw new Error("The service is down.");
    return nothing;
  }
  const start = () => reconcileRegularly({ store, name: "app", clock, publish() {} }, reconcile, 60);
  return { clock, store, runs, gate, service, start };
}

test("a run that is longer than its period is not begun again in another process", async () => {
  const { clock, runs, gate, start } = setUpRegular();
  const processes = [start(), start()];
  await clock.advance(200_000);
  const runsMeanwhile = runs.length;
  gate.open();
  await clock.advance(200_000);
  for (const stop of processes) await stop();

  expect(runsMeanwhile).toBe(1);
  expect(runs.length).toBeGreaterThan(1);
  expect(clock.pending).toBe(0);
});

test("a run whose lease was lost is aborted", async () => {
  const { clock, store, runs, gate, start } = setUpRegular();
  const stop = start();
  await clock.advance(10_000);
  await store.put("app:webhook:reconciled", undefined, { ttlSeconds: 60 });
  await store.lease("app:webhook:reconciled", "another", { leaseSeconds: 60, ttlSeconds: 60 });
  await clock.advance(30_000);
  gate.open();
  await stop();

  expect(runs.map(({ signal }) => signal?.aborted)).toEqual([true]);
});

test("a run begins where the first one began, as long as none has succeeded", async () => {
  const { clock, runs, gate, service, start } = setUpRegular();
  gate.open();
  service.isDown = true;
  const stop = start();
  await clock.advance(200_000);
  await stop();

  expect(runs.length).toBeGreaterThan(1);
  expect(new Set(runs.map(({ since }) => since.getTime())).size).toBe(1);
});

test("a run goes back six days at most, because older events would be handled again", async () => {
  const { clock, store, runs, gate, start } = setUpRegular();
  gate.open();
  await store.put("app:webhook:reconciled", String(clock.now() - 30 * 86_400_000), { ttlSeconds: 60 });
  const stop = start();
  await clock.advance(6000);
  await stop();

  expect(runs.map(({ since }) => clock.now() - since.getTime())).toEqual([6 * 86_400_000]);
});

test("a run covers its period also after one of a process whose clock is an hour ahead", async () => {
  const { clock, store, runs, gate, start } = setUpRegular();
  gate.open();
  await store.put("app:webhook:reconciled", String(clock.now() + 3_600_000), { ttlSeconds: 60 });
  const stop = start();
  await clock.advance(6000);
  await stop();

  // A minute, and the margin for clocks that differ.
  expect(runs.map(({ since }) => clock.now() - since.getTime())).toEqual([360_000]);
});
