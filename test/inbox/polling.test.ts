import type { InboxHandler, InboxVerdict, TakenEntry } from "@doorcode/core/inbox";
import { createManualClock, type ManualClock } from "@doorcode/core/testing";
import { Pool } from "pg";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { findPostgres, startPglite } from "../support/postgres-server.ts";
import { type InboxSetup, setUpPostgres, setUpSqlite } from "./inbox-setup.ts";
import { createJournal } from "./journal.ts";
import { openEngine, openSqliteFile } from "./open-engine.ts";

/* What the inboxes of databases promise beyond the contract of every inbox: each has statements of its own for it. */

const server = (await findPostgres()) ?? (await startPglite());
afterAll(() => server.close());

const complete: InboxVerdict = { action: "complete" };
const error = { name: "Error", code: undefined, message: "" };
const keyOf = (digit: string) => digit.repeat(64);

/** Options that both inboxes have. */
interface PollingOptions {
  readonly keepSeconds?: number;
  readonly keepDeadLettersSeconds?: number;
  readonly pollSeconds?: number;
}

/** An inbox on a clock of the test, and its table. Nothing polls or renews unless the clock is moved. */
interface PollingSetup extends InboxSetup {
  readonly clock: ManualClock;
  /** Runs a statement on the table, which it names as `entries`. */
  sql(statement: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Writes a column with an instant as milliseconds, in SQL. */
  readonly millisecondsOf: (column: string) => string;
  /** Lets an entry be due for that many seconds more. */
  makeDue(key: string, seconds: number): Promise<unknown>;
  /** Writes the instant of now, in SQL. */
  readonly now: () => string;
}

async function openOnSqlite(own: PollingOptions = {}): Promise<PollingSetup> {
  const clock = createManualClock();
  const setup = await setUpSqlite({ sqlite: { clock, ...own } });
  const database = openSqliteFile(setup.place.file);
  onTestFinished(() => database.close());
  const sql: PollingSetup["sql"] = async (statement) =>
    database.prepare(statement.replace(" entries", " doorcode_inbox")).all();
  return {
    ...{ ...setup, clock, sql, millisecondsOf: (column) => column, now: () => String(clock.now()) },
    makeDue: (key, seconds) => sql(`UPDATE entries SET due_at = due_at - ${seconds * 1000} WHERE key = '${key}'`),
  };
}

async function openOnPostgres(own: PollingOptions = {}): Promise<PollingSetup> {
  const clock = createManualClock();
  const setup = await setUpPostgres(server.url, { postgres: { clock, cleaning: false, ...own } });
  const admin = new Pool({ connectionString: server.url, max: 1 });
  onTestFinished(() => admin.end());
  const sql: PollingSetup["sql"] = async (statement) =>
    (await admin.query(statement.replace(" entries", ` ${setup.place.schema}.doorcode_inbox`))).rows;
  return {
    ...{ ...setup, clock, sql, millisecondsOf: (column) => `extract(epoch FROM ${column}) * 1000`, now: () => "now()" },
    makeDue: (key, seconds) =>
      sql(`UPDATE entries SET due_at = due_at - interval '${seconds} seconds' WHERE key = '${key}'`),
  };
}

/** Starts a worker whose entries wait for the verdicts of the test. */
async function startWorker({ inbox }: PollingSetup, concurrency = 1) {
  const taken = createJournal<TakenEntry>();
  const errors: unknown[] = [];
  const verdicts = new Map<string, (verdict: InboxVerdict) => void>();
  const handle: InboxHandler = (entry) => {
    taken.note(entry);
    const { promise, resolve } = Promise.withResolvers<InboxVerdict>();
    verdicts.set(entry.key, resolve);
    return promise;
  };
  const worker = await inbox.work(handle, { concurrency, onError: (thrown) => void errors.push(thrown) });
  return {
    ...{ taken, errors },
    /** Gives a verdict, and ends the worker when that is stored. */
    async judge(verdict: InboxVerdict) {
      for (const resolve of verdicts.values()) resolve(verdict);
      await worker.stop({ limitSeconds: 5 });
    },
  };
}

/** Starts a worker, and waits until it has taken an entry. */
async function takeOne(setup: PollingSetup) {
  const worker = await startWorker(setup);
  await worker.taken.reached(() => true);
  return worker;
}

describe.each([
  { name: "SQLite", open: openOnSqlite },
  { name: server.name, open: openOnPostgres },
])("an inbox in a database, on $name", ({ open }) => {
  test.each<[title: string, own: PollingOptions, done: number, dead: number]>([
    ["keeps handled events for two hours, dead letters for two weeks, and open ones for 90 days", {}, 7200, 1_209_600],
    ["keeps them for as long as its options say", { keepSeconds: 9000, keepDeadLettersSeconds: 1 }, 9000, 1],
  ])("%s", async (_title, own, keepsDone, keepsDead) => {
    const setup = await open(own);
    const { inbox, sql, millisecondsOf } = setup;
    await inbox.add({ key: keyOf("a"), body: "" });
    const seconds = `(${millisecondsOf("expires_at")} - ${millisecondsOf("due_at")}) / 1000 AS seconds`;
    const lifetime = async () => {
      const [row] = await sql(`SELECT state, ${seconds} FROM entries`);
      return [row?.state, Math.round(Number(row?.seconds))];
    };
    const kept = [await lifetime()];
    for (const verdict of [
      { action: "retry", afterSeconds: 0, failures: 1 },
      complete,
      { action: "dead_letter", error },
    ] as const) {
      await (await takeOne(setup)).judge(verdict);
      kept.push(await lifetime());
      await inbox.replay(keyOf("a"));
    }
    expect(kept).toEqual([
      ["open", 90 * 86_400],
      ["open", 90 * 86_400],
      ["done", keepsDone],
      ["dead", keepsDead],
    ]);
  });

  test("neither shows nor hands out what has expired, and adds the same event as a new one", async () => {
    const setup = await open();
    const { inbox, sql, now } = setup;
    // More than a change of SQLite removes.
    for (const digit of "abcdefghi") await inbox.add({ key: keyOf(digit), body: "old" });
    const failed = `failures = 7, deaths = 2, replayed = true, holder = 'gone', settled_at = ${now()}, expires_at = ${now()}`;
    await sql(`UPDATE entries SET ${failed}`);
    await sql(`UPDATE entries SET state = 'dead', error = '{}' WHERE key > '${keyOf("d")}'`);
    const shown = [await inbox.counts(), await inbox.deadLetters(9)];
    const changed = [await inbox.replay(keyOf("h")), await inbox.discard(keyOf("i"))];
    for (const digit of "ih") await inbox.add({ key: keyOf(digit), body: "new" });
    const { taken } = await startWorker(setup, 9);
    await taken.reached(() => true, 2);
    const added = await sql(`SELECT state, deaths, error, settled_at FROM entries WHERE key > '${keyOf("g")}'`);
    expect([...shown, ...changed]).toEqual([{ open: 0, dead: 0 }, [], false, false]);
    expect(taken.entries).toEqual(
      ["i", "h"].map((digit) => ({ key: keyOf(digit), body: "new", failures: 0, replayed: false, deaths: 0 })),
    );
    expect(added).toEqual(
      Array.from({ length: 2 }, () => ({ state: "open", deaths: 0, error: null, settled_at: null })),
    );
  });

  test("hands out an event that three workers died with alone: after those before it, and before those after it", async () => {
    const setup = await open();
    const { inbox, clock, setDeaths } = setup;
    const gates = { a: createBarrier(), b: createBarrier(), c: createBarrier(), d: createBarrier() };
    const running = new Set<string>();
    const takenWith: string[] = [];
    for (const digit of "abcd") await inbox.add({ key: keyOf(digit), body: "" });
    await setDeaths(keyOf("b"), 3);
    await setDeaths(keyOf("d"), 2);
    const handle: InboxHandler = async ({ key }) => {
      const digit = key[0] as keyof typeof gates;
      running.add(digit);
      takenWith.push([...running].join(""));
      await gates[digit].pass();
      running.delete(digit);
      return complete;
    };
    const worker = await inbox.work(handle, { concurrency: 4, onError: () => undefined });
    onTestFinished(() => worker.stop({ limitSeconds: 5 }));
    for (const digit of ["a", "b"] as const) {
      await gates[digit].arrived(1);
      // It asks for more meanwhile.
      await clock.advance(1000);
      for (let times = 0; times < 3; times++) await inbox.counts();
      gates[digit].open();
    }
    await Promise.all([gates.c.arrived(1), gates.d.arrived(1)]);
    expect(takenWith).toEqual(["a", "b", "c", "cd"]);
    for (const gate of [gates.c, gates.d]) gate.open();
  });

  test("takes the entries that are due for longest, and hands them out in that order", async () => {
    const setup = await open();
    for (const digit of "abcd") await setup.inbox.add({ key: keyOf(digit), body: "" });
    // With the index, a database reads them in this order anyway.
    await setup.sql("DROP INDEX entries_due");
    // Not the order in which they were written.
    for (const [index, digit] of [..."acdb"].entries()) await setup.makeDue(keyOf(digit), index + 1);
    const { taken } = await startWorker(setup, 3);
    await taken.reached(() => true, 3);
    expect(taken.entries.map(({ key }) => key[0])).toEqual(["b", "d", "c"]);
  });

  test.each<InboxVerdict>([
    complete,
    { action: "retry", afterSeconds: 0, failures: 9 },
    { action: "dead_letter", error },
  ])("W12: a late $action of a worker whose entry was taken over changes nothing, and is reported", async (verdict) => {
    const setup = await open();
    await setup.inbox.add({ key: keyOf("a"), body: "" });
    const stalled = await takeOne(setup);
    await setup.endHolds();
    const next = await takeOne(setup);
    await stalled.judge(verdict);
    expect(await setup.inbox.counts()).toEqual({ open: 1, dead: 0 });
    expect(stalled.errors).toMatchObject([{ name: "LateVerdict" }]);
    // It would be late as well if the hold had ended.
    await next.judge(complete);
    expect([next.errors, await setup.sql("SELECT state, failures FROM entries")]).toEqual([
      [],
      [{ state: "done", failures: 0 }],
    ]);
  });

  test("leaves an event with a live worker for longer than the time to take over", async () => {
    const setup = await open();
    const { inbox, clock, sql, millisecondsOf } = setup;
    await inbox.add({ key: keyOf("a"), body: "" });
    const slow = await takeOne(setup);
    const due = async () => Number((await sql(`SELECT ${millisecondsOf("due_at")} AS due FROM entries`))[0]?.due);
    for (let renewals = 0; renewals < 4; renewals++) {
      const before = await due();
      await clock.advance(3400);
      await expect.poll(due).toBeGreaterThan(before);
    }
    await slow.judge(complete);
    expect(slow.errors).toEqual([]);
  });

  test("hands out each of two hundred entries once to the workers of five processes", async () => {
    const setup = await open();
    const keys = Array.from({ length: 200 }, (_, index) => String(index).padStart(64, "0"));
    await Promise.all(keys.map((key) => setup.inbox.add({ key, body: "" })));
    const taken: string[] = [];
    const handle: InboxHandler = async ({ key }) => {
      taken.push(key);
      return complete;
    };
    for (let process = 0; process < 5; process++) {
      const { inbox, close } = openEngine(setup.place);
      const worker = await inbox.work(handle, { concurrency: 7, onError: (thrown) => expect.fail(String(thrown)) });
      onTestFinished(async () => {
        await worker.stop({ limitSeconds: 5 });
        await close();
      });
    }
    await expect.poll(() => taken.length).toBeGreaterThanOrEqual(200);
    expect(taken.toSorted()).toEqual(keys);
  });

  test("wakes the workers of its own process when an event is added or replayed", async () => {
    const setup = await open({ pollSeconds: 60 });
    const { inbox } = setup;
    const taken = createJournal<TakenEntry>();
    const handle: InboxHandler = async (entry) => {
      taken.note(entry);
      return complete;
    };
    const worker = await inbox.work(handle, { concurrency: 1, onError: () => undefined });
    onTestFinished(() => worker.stop({ limitSeconds: 5 }));
    for (const digit of "abc") {
      await inbox.add({ key: keyOf(digit), body: "" });
      await taken.reached(({ key }) => key === keyOf(digit));
    }
    await expect.poll(() => inbox.replay(keyOf("a"))).toBe(true);
    await taken.reached(({ replayed }) => replayed);
  });
});
