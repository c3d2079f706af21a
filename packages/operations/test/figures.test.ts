import { createDoorcode, createMemoryStore, type Doorcode, type DoorcodeEvent } from "@doorcode/core";
import { doorcodeParts } from "@doorcode/core/adapter";
import type { Clock, Store } from "@doorcode/core/store";
import { createManualClock } from "@doorcode/core/testing";
import { describe, expect, test } from "vitest";
import { advanceUntil } from "../../../test/support/advance-until.ts";
import { createDeployment } from "../../../test/support/deployment.ts";
import { openStores } from "../../../test/support/platforms.ts";
import { type ActionEntry, addAction } from "../src/figures/entries.ts";
import { addCount, addFigures, createFigures, parseFigures, quantileOf } from "../src/figures/figures.ts";
import { createMeasure } from "../src/figures/measure.ts";
import {
  costOf,
  countOf,
  occurrenceOf,
  readFigures,
  timeOf,
  unconfirmedTexts,
  valuesOf,
} from "../src/figures/read-figures.ts";
import { recordFigures } from "../src/figures/record-figures.ts";
import { createFiguresWriter } from "../src/figures/write-figures.ts";

const stores = await openStores();

interface Process {
  readonly doorcode: Doorcode;
  publish(event: DoorcodeEvent): void;
  flush(): Promise<void>;
}

function startProcess(store: Store, clock: Clock, name: string, release: string): Process {
  const doorcode = createDoorcode({ name, clock, store, onEvent: () => undefined });
  const { flush } = recordFigures(doorcode, { release });
  return { doorcode, flush, publish: doorcode[doorcodeParts].publish };
}

const named = {
  loginId: "login",
  phone: "+49 ••• 89",
  phoneFingerprint: "f",
  purpose: "login",
  durationSeconds: 0.1,
} as const;
const sent = (country: string): DoorcodeEvent => ({ ...named, type: "login.code_sent", country, channel: "SMS" });
const completed = (country: string, sinceCodeSeconds: number): DoorcodeEvent => ({
  ...named,
  type: "login.completed",
  country,
  channel: "SMS",
  sinceCodeSeconds,
  completedAt: 0,
});

const refusedBy = (group: string): Extract<DoorcodeEvent, { readonly type: "login.send_decided" }> => ({
  type: "login.send_decided",
  outcome: "refused",
  limit: "block",
  country: "PL",
  group,
  onAlert: false,
  appOnAlert: false,
  knownNumber: false,
  knownDevice: false,
});

describe.each(stores)("on $name", (store) => {
  test("the figures of several processes add up, and a simulated day equals what was counted", async () => {
    const { name, connect } = createDeployment(store);
    let now = Date.UTC(2026, 8, 21);
    const clock: Clock = { now: () => now, schedule: () => () => undefined };
    const processes = ["r1", "r1", "r2"].map((release) => startProcess(connect(), clock, name, release));
    const counted = { sent: 0, confirmed: 0, ofPoland: 0, ofRelease: 0, byHour: Array.from({ length: 24 }, () => 0) };
    for (let hour = 0; hour < 24; hour += 1) {
      for (const [index, { publish }] of processes.entries()) {
        for (let login = 0; login < 5 + ((hour * 7 + index) % 4); login += 1) {
          const country = login % 3 === 0 ? "PL" : "DE";
          publish(sent(country));
          counted.sent += 1;
          counted.byHour[hour] = (counted.byHour[hour] ?? 0) + 1;
          if (country === "PL") counted.ofPoland += 1;
          if (index === 2) counted.ofRelease += 1;
          if (login % 2 === 0) publish(completed(country, 20));
          if (login % 2 === 0) counted.confirmed += 1;
        }
      }
      // All at the same moment: those whose lease is refused keep what they have.
      await Promise.all(processes.map(({ flush }) => flush()));
      if (hour < 23) now += 3_600_000;
    }
    for (const { flush } of processes) await flush();
    for (const { doorcode } of processes) {
      const { slots, total } = await readFigures(doorcode, "today");
      expect(countOf(total, "sent")).toBe(counted.sent);
      expect(countOf(total, "confirmed")).toBe(counted.confirmed);
      expect(countOf(total, "sent", { dimension: "country", value: "PL" })).toBe(counted.ofPoland);
      expect(countOf(total, "sent", { dimension: "release", value: "r2" })).toBe(counted.ofRelease);
      expect(slots.map(({ figures }) => countOf(figures, "sent"))).toEqual(counted.byHour);
      const week = await readFigures(doorcode, "week");
      expect(week.total.counts).toEqual(total.counts);
      expect(countOf(week.slots.at(-1)?.figures ?? createFigures(), "sent")).toBe(counted.sent);
    }
  });
});

test("what one process saw first and another one last is one occurrence, one webhook and one group, over midnight too", async () => {
  const clock = createManualClock(Date.UTC(2026, 8, 21, 23, 59));
  const store = createMemoryStore({ clock });
  const [first, second] = [startProcess(store, clock, "test", "r1"), startProcess(store, clock, "test", "r2")];
  const event = { kind: "verification.update", key: "a".repeat(64), durationSeconds: 0 };
  first.publish({ ...event, type: "webhook.failed", error: new Error("no") });
  for (const count of [9, 7, 8]) first.publish({ ...refusedBy("group"), count, threshold: 6, closedForSeconds: 3600 });
  await first.flush();
  await clock.advance(120_000);
  second.publish({ ...event, type: "webhook.handled", retried: true });
  second.publish(refusedBy("group"));
  await second.flush();
  const { total } = await readFigures(second.doorcode, "today");
  const [midnight, now] = [Date.UTC(2026, 8, 22), clock.now()];
  expect([...total.webhooks.values()]).toMatchObject([
    { at: now, failures: 1, outcome: "handled", error: "Error: no" },
  ]);
  expect([...total.groups]).toMatchObject([["group", { refused: 4, closing: { at: midnight - 60_000, logins: 6 } }]]);
  const week = await readFigures(second.doorcode, "week");
  expect(occurrenceOf(week.total, "refused|limit:block")).toMatchObject({
    count: 4,
    first: midnight - 60_000,
    last: now,
  });
});

test("the refusals of a group are those since its last closing", () => {
  const figures = createFigures();
  const measure = createMeasure();
  const closes = { ...refusedBy("group"), count: 7, threshold: 6, closedForSeconds: 3600 };
  for (const [at, event] of [
    [0, closes],
    [1000, refusedBy("group")],
    [7_200_000, { ...closes, count: 4, threshold: 3 }],
    [7_201_000, refusedBy("group")],
  ] as const)
    measure(event, figures, at);
  expect(figures.groups.get("group")).toMatchObject({ refused: 2, closing: { at: 7_200_000, logins: 3 } });
  expect(figures.groups.get("group.0")).toMatchObject({ refused: 2, closing: { at: 0, logins: 6 } });
});

test("a pause of more than ten minutes ends a run, in whatever order the parts of it are added, and the newest runs stay", () => {
  const minute = 60_000;
  const parts = [0, 15, 20, 29, 60, 90, 91, 96].map((at) => {
    const figures = createFigures();
    addCount(figures, "send_failed", at * minute);
    return figures;
  });
  for (const order of [parts, parts.toReversed()]) {
    const figures = createFigures();
    for (const part of order) addFigures(figures, part);
    expect(occurrenceOf(figures, "send_failed")).toEqual({
      count: 8,
      first: 0,
      last: 96 * minute,
      runs: [
        { since: 15 * minute, until: 29 * minute, count: 3 },
        { since: 60 * minute, until: 60 * minute, count: 1 },
        { since: 90 * minute, until: 96 * minute, count: 3 },
      ],
    });
  }
});

test("the lists of a document keep their newest hundred", () => {
  const figures = createFigures();
  const measure = createMeasure();
  for (let index = 0; index < 300; index += 1) {
    const error = new Error("no");
    measure({ type: "webhook.failed", kind: "k", key: `${index}`, durationSeconds: 0, error }, figures, index);
    measure(refusedBy(`${index}`), figures, index);
    measure({ type: "operator.acted", action: "drop", outcome: "done", operator: "ada", text: "" }, figures, index);
    measure(sent("DE"), figures, index * 60_000);
  }
  const merged = createFigures();
  addFigures(merged, figures);
  for (const list of [merged.webhooks, merged.groups]) expect([list.size, list.has("299")]).toEqual([100, true]);
  expect([merged.actions.length, merged.actions.at(-1)?.at]).toEqual([100, 299]);
  // Ten minutes, and the one that runs.
  expect(merged.open.size).toBe(11);
});

/** A process whose store a test can break. */
function setUp(change: (store: Store) => Partial<Store> = () => ({})) {
  const clock = createManualClock();
  const store = createMemoryStore({ clock });
  return { clock, store, ...startProcess({ ...store, ...change(store) }, clock, "test", "r1") };
}

test("what a store surely did not take is written the next time, and what it may have taken is not", async () => {
  let fails: "lease" | "settle" | undefined = "lease";
  const { doorcode, publish, flush } = setUp((store) => ({
    async lease(...given) {
      if (fails === "lease") throw new Error("no answer");
      return store.lease(...given);
    },
    async settle(...given) {
      const answer = await store.settle(...given);
      if (fails === "settle") throw new Error("no answer");
      return answer;
    },
  }));
  publish(sent("DE"));
  await flush();
  fails = undefined;
  await flush();
  expect(countOf((await readFigures(doorcode, "today")).total, "sent")).toBe(1);
  fails = "settle";
  publish(sent("DE"));
  await flush();
  fails = undefined;
  await flush();
  const { total } = await readFigures(doorcode, "today");
  expect(countOf(total, "sent")).toBe(2);
  expect(valuesOf(total, "store_failed", "error")).toMatchObject([{ value: "Error", count: 4 }]);
});

test("a process that was overtaken between its lease and its write keeps what it has", async () => {
  let overtakes = true;
  const { doorcode, publish, flush, clock } = setUp((store) => ({
    async settle(key, ...given) {
      if (overtakes) {
        await clock.advance(60_000);
        await store.lease(key, "another", { leaseSeconds: 1, ttlSeconds: 60 });
        await store.settle(key, "another", JSON.stringify(createFigures()), { ttlSeconds: 60 });
      }
      return store.settle(key, ...given);
    },
  }));
  publish(sent("DE"));
  await flush();
  overtakes = false;
  await flush();
  expect(countOf((await readFigures(doorcode, "today")).total, "sent")).toBe(1);
});

test("the kit writes the last figures when it closes, and about every five seconds before", async () => {
  const { doorcode, publish, clock, store } = setUp();
  const read = async () => countOf((await readFigures(doorcode, "today")).total, "sent");
  publish(sent("DE"));
  expect(await read()).toBe(0);
  await clock.advance(6000);
  expect(await read()).toBe(1);
  publish(sent("DE"));
  await doorcode.close();
  expect(await read()).toBe(2);
  publish(sent("DE"));
  await clock.advance(60_000);
  expect(await read()).toBe(2);
  expect(store).toBeDefined();
});

test("a process counts again after `stop`, when `recordFigures` is called again", async () => {
  const { doorcode, publish } = setUp();
  await recordFigures(doorcode).stop();
  const recorder = recordFigures(doorcode);
  publish(sent("DE"));
  await recorder.flush();
  expect(countOf((await readFigures(doorcode, "today")).total, "sent")).toBe(1);
});

test("a process that stops while it writes its figures begins no other write", async () => {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { doorcode, publish, clock } = setUp((store) => ({
    async lease(...given) {
      begun.resolve();
      await released.promise;
      return store.lease(...given);
    },
  }));
  publish(sent("DE"));
  await clock.advance(6000);
  await begun.promise;
  const stopped = recordFigures(doorcode).stop();
  released.resolve();
  await stopped;
  await new Promise(setImmediate);
  expect(clock.pending).toBe(0);
});

test("a store that stays away leaves the newest 48 documents in memory, and not the oldest", async () => {
  const { doorcode, store } = setUp();
  const { add, write } = createFiguresWriter(doorcode[doorcodeParts]);
  const keys = Array.from({ length: 49 }, (_, index) => `document ${index}`);
  for (const key of keys) add(key, createFigures());
  await write();
  const written = await store.get(keys);
  expect(keys.filter((_, index) => written[index] === undefined)).toEqual(["document 0"]);
});

test("processes that end at the same moment write all that they have counted", async () => {
  const clock = createManualClock();
  const store = createMemoryStore({ clock });
  const processes = ["r1", "r2", "r3"].map((release) => startProcess(store, clock, "test", release));
  for (const { publish } of processes) publish(sent("DE"));
  await advanceUntil({ clock }, Promise.all(processes.map(({ doorcode }) => doorcode.close())));
  const { total } = await readFigures(startProcess(store, clock, "test", "r4").doorcode, "today");
  expect(countOf(total, "sent")).toBe(3);
});

test("the document of an hour has the counts of the hour, and the lists stand in that of its day alone", async () => {
  const { publish, flush, store } = setUp();
  publish({ type: "operator.acted", action: "drop", operator: "ada", outcome: "done", text: "" });
  publish(sent("DE"));
  await flush();
  const keys = ["hour-2026-09-21T14", "day-2026-09-21"].map((key) => `test:operations:${key}`);
  const documents = (await store.get(keys)).map(parseFigures);
  expect(documents.map(({ actions }) => actions.length)).toEqual([0, 1]);
  expect(documents.map((figures) => countOf(figures, "sent"))).toEqual([1, 1]);
});

test("actions stand in the order of their instants, whichever process writes them first", () => {
  const actions: ActionEntry[] = [];
  const action = { action: "drop", operator: "ada", outcome: "done", text: "" };
  for (const at of [2, 1, 3]) addAction(actions, { ...action, at });
  expect(actions.map(({ at }) => at)).toEqual([1, 2, 3]);
});

test("a damaged document begins anew", async () => {
  const { doorcode, publish, flush, store } = setUp();
  for (const text of ["{", "null", "[]", '{"counts":{"sent":"many"}}'])
    expect(parseFigures(text)).toEqual(createFigures());
  const empty = { counts: {}, times: {}, open: {}, webhooks: {}, groups: {}, actions: [] };
  const action = { at: 0, action: "drop", operator: "ada", outcome: "done", text: "" };
  const damaged = [
    { counts: { delivery: { count: 1, first: 0, last: 1e300, runs: [] } } },
    { counts: { delivery: 1 } },
    { actions: [{ ...action, at: 1e300 }] },
    { actions: Array(101).fill(action) },
    {
      counts: Object.fromEntries(
        Array.from({ length: 5000 }, (_, index) => [
          `sent|country:C${index}`,
          { count: 1, first: 0, last: 0, runs: [] },
        ]),
      ),
    },
  ];
  for (const part of damaged) expect(parseFigures(JSON.stringify({ ...empty, ...part }))).toEqual(createFigures());
  await store.put("test:operations:hour-2026-09-21T14", '{"counts":[]}', { ttlSeconds: 60 });
  publish(sent("DE"));
  await flush();
  expect(countOf((await readFigures(doorcode, "today")).total, "sent")).toBe(1);
});

test("a document is bounded, and loses no count", () => {
  const figures = createFigures();
  for (let index = 0; index < 5000; index += 1) addCount(figures, `sent|country:C${index}`, 0);
  for (let index = 0; index < 100; index += 1) addCount(figures, `sent|release:R${index}`, 0);
  expect(valuesOf(figures, "sent", "release")).toHaveLength(21);
  for (let index = 0; index < 5000; index += 1) addCount(figures, `sent|channel:S${index}`, 0);
  expect(figures.counts.size).toBeLessThan(2010);
  expect(valuesOf(figures, "sent", "country").reduce((sum, { count }) => sum + count, 0)).toBe(5000);
  const action = { type: "operator.acted", action: "drop", outcome: "done" } as const;
  const long = { operator: "a".repeat(9999), target: "b".repeat(9999), text: "c".repeat(9999) };
  createMeasure()({ ...action, ...long }, figures, 0);
  expect(JSON.stringify(figures.actions).length).toBeLessThan(1100);
  const few = createFigures();
  for (let index = 0; index < 100; index += 1) addCount(few, `sent|release:R${index}`, 0);
  expect(valuesOf(few, "sent", "release")).toHaveLength(21);
  expect(few.counts.get("sent|release:other")?.count).toBe(80);
});

test("the median and the 95th percentile lie between the bounds of their bucket", async () => {
  const { doorcode, publish, flush } = setUp();
  for (let seconds = 1; seconds <= 100; seconds += 1) publish(completed("DE", seconds));
  await flush();
  const { total } = await readFigures(doorcode, "today");
  expect(timeOf(total, "confirm", 0.5)).toBeCloseTo(50, 0);
  expect(timeOf(total, "confirm", 0.95)).toBeGreaterThan(90);
  expect(timeOf(total, "confirm", 0.95, { dimension: "country", value: "DE" })).toBeLessThan(120);
  expect(quantileOf([], 0.5)).toBeUndefined();
});

test("texts that nobody confirmed cost what their country costs", () => {
  const figures = createFigures();
  for (const [series, count] of [
    ["sent", 13],
    ["sent|country:DE", 10],
    ["sent|country:PL", 3],
    ["confirmed|country:DE", 9],
  ] as const)
    addCount(figures, series, 0, count);
  const prices = { DE: 0.1, other: 0.5 };
  expect(costOf(figures, prices)).toBeCloseTo(2.5);
  const open = new Map([["PL", 1]]);
  expect(unconfirmedTexts({ total: figures, open }, prices)).toEqual([
    { country: "PL", sent: 3, open: 1, unconfirmed: 2, cost: 1 },
    { country: "DE", sent: 10, open: 0, unconfirmed: 1, cost: 0.1 },
  ]);
});

test("an error whose code is no text is counted by its name", () => {
  const figures = createFigures();
  const error = Object.assign(new Error("no"), { name: "DoorcodeError", code: 42 });
  createMeasure()({ type: "store.failed", error }, figures, 0);
  expect(valuesOf(figures, "store_failed", "error")).toMatchObject([{ value: "DoorcodeError", count: 1 }]);
});

describe("the release of a kit", () => {
  function setUp() {
    const clock = createManualClock();
    const doorcode = createDoorcode({ clock, store: createMemoryStore({ clock }), onEvent: () => undefined });
    const sentOf = async (value: string) => {
      await recordFigures(doorcode).flush();
      return countOf((await readFigures(doorcode, "today")).total, "sent", { dimension: "release", value });
    };
    return { doorcode, sentOf, publish: doorcode[doorcodeParts].publish };
  }

  test("is the first that a call names, also when an earlier call named none", async () => {
    const { doorcode, publish, sentOf } = setUp();
    recordFigures(doorcode);
    recordFigures(doorcode, { release: "r2" });
    publish(sent("DE"));
    expect(await sentOf("r2")).toBe(1);
  });

  test("is no other one: a later call that names another release throws", async () => {
    const { doorcode, publish, sentOf } = setUp();
    recordFigures(doorcode, { release: "r1" });
    expect(() => recordFigures(doorcode, { release: "r2" })).toThrow(TypeError);
    publish(sent("DE"));
    expect([await sentOf("r1"), await sentOf("r2")]).toEqual([1, 0]);
  });
});
