import { randomUUID } from "node:crypto";
import type { Inbox, InboxHandler, InboxVerdict, TakenEntry } from "@doorcode/core/inbox";
import { createManualClock } from "@doorcode/core/testing";
import {
  createEventTransactions,
  createPostgresInbox,
  createPostgresStore,
  migrate,
  type PostgresInbox,
  type PostgresInboxOptions,
} from "@doorcode/postgres";
import { Pool, type PoolConfig } from "pg";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { startPostgresProxy } from "../support/postgres-proxy.ts";
import { findPostgres } from "../support/postgres-server.ts";
import { endEntryHolds } from "./inbox-setup.ts";
import { createJournal } from "./journal.ts";

const server = await findPostgres();
afterAll(() => server?.close());
const url = server?.url ?? "";

const key = "a".repeat(64);
const error = { name: "Error", code: undefined, message: "" };

/** A schema with the table of an inbox; it is removed with the test. */
async function setUp(config: PoolConfig = {}) {
  const schema = `doorcode_test_${randomUUID().slice(0, 8)}`;
  const table = `${schema}.doorcode_inbox`;
  const admin = new Pool({ connectionString: url, max: 2 });
  const pool = new Pool({ connectionString: url, ...config });
  await migrate(admin, { schema });
  onTestFinished(async () => {
    await pool.end();
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    await admin.end();
  });
  return {
    admin,
    pool,
    schema,
    table,
    open(options: Partial<PostgresInboxOptions> = {}): PostgresInbox {
      const inbox = createPostgresInbox({ pool, schema, pollSeconds: 0.05, takeOverSeconds: 10, ...options });
      onTestFinished(() => inbox.close());
      return inbox;
    },
    /** The entries, the longest due first. */
    async entries(columns: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
      return (await admin.query(`SELECT ${columns} FROM ${table} ORDER BY due_at, key`)).rows;
    },
    /** Ends the holds of all workers, as if they had died. */
    passTime: () => endEntryHolds(admin, schema),
  };
}

/** A worker that takes one entry. It polls and renews only when its clock is moved; `judge` gives its verdict. */
async function takeOne(open: (options: Partial<PostgresInboxOptions>) => Inbox) {
  const clock = createManualClock();
  const inbox = open({ clock });
  const taken = createJournal<TakenEntry>();
  const { promise, resolve } = Promise.withResolvers<InboxVerdict>();
  const handle: InboxHandler = (entry) => {
    taken.note(entry);
    return promise;
  };
  const errors = createJournal<unknown>();
  const worker = await inbox.work(handle, { concurrency: 1, onError: errors.note });
  await taken.reached(() => true);
  return {
    clock,
    errors,
    async judge(verdict: InboxVerdict) {
      resolve(verdict);
      await worker.stop({ limitSeconds: 5 });
    },
  };
}

/** Handles entries until the test is over: with the given verdicts first, then with `complete`. */
async function workOn(inbox: Inbox, { verdicts = [] as InboxVerdict[], concurrency = 1 } = {}) {
  const taken = createJournal<TakenEntry>();
  const errors = createJournal<unknown>();
  const handle: InboxHandler = async (entry) => {
    taken.note(entry);
    return verdicts.shift() ?? { action: "complete" };
  };
  const worker = await inbox.work(handle, { concurrency, onError: errors.note });
  onTestFinished(() => worker.stop({ limitSeconds: 5 }));
  return { taken, errors, worker };
}

describe.skipIf(!server)("an inbox on PostgreSQL", () => {
  test("says what to do while its table is missing, and works when it exists", async () => {
    const { admin, pool, schema } = await setUp();
    const inbox = createPostgresInbox({ pool, schema, table: "missing" });
    onTestFinished(() => inbox.close());
    const refused = { code: "store_unavailable", message: expect.stringMatching(/migrate\(pool\)/) };
    await expect(inbox.add({ key, body: "" })).rejects.toMatchObject(refused);
    await expect(workOn(inbox)).rejects.toMatchObject(refused);
    await migrate(admin, { schema, inboxTable: "missing" });
    await inbox.add({ key, body: "" });
    expect(await inbox.replay(key)).toBe(false);
  });

  test.each<[title: string, options: Partial<PostgresInboxOptions>, done: number, dead: number]>([
    [
      "keeps handled events for two hours, dead letters for two weeks, and waiting events for 90 days",
      {},
      7200,
      1_209_600,
    ],
    ["keeps them for as long as its options say", { keepSeconds: 9000, keepDeadLettersSeconds: 1 }, 9000, 1],
  ])("%s", async (_title, options, keepsDone, keepsDead) => {
    const { open, entries } = await setUp();
    const openWith = (more: Partial<PostgresInboxOptions>) => open({ ...options, ...more });
    const inbox = open();
    const lifetimes = () =>
      entries("state, round(extract(epoch FROM expires_at - coalesce(settled_at, now())))::int AS seconds");
    await inbox.add({ key, body: "" });
    const kept = [...(await lifetimes())];
    for (const verdict of [
      { action: "retry", afterSeconds: 0, failures: 1 },
      { action: "complete" },
      { action: "dead_letter", error },
    ] as const) {
      await (await takeOne(openWith)).judge(verdict);
      kept.push(...(await lifetimes()));
      await inbox.replay(key);
    }
    expect(kept).toEqual([
      { state: "open", seconds: 90 * 86_400 },
      { state: "open", seconds: 90 * 86_400 },
      { state: "done", seconds: keepsDone },
      { state: "dead", seconds: keepsDead },
    ]);
  });

  test("leaves a dead letter as it is, however late the event is delivered again", async () => {
    const { open, admin, table } = await setUp();
    const inbox = open();
    await inbox.add({ key, body: "first" });
    await (await takeOne(open)).judge({ action: "dead_letter", error });
    await admin.query(`UPDATE ${table} SET settled_at = settled_at - interval '7201 seconds'`);
    await inbox.add({ key, body: "late" });
    expect(await inbox.deadLetters(10)).toMatchObject([{ key, body: "first", error }]);
  });

  test("counts only deaths in a row: a verdict forgets them", async () => {
    const { open, admin, table } = await setUp();
    const inbox = open();
    await inbox.add({ key, body: "" });
    const only = await takeOne(open);
    await admin.query(`UPDATE ${table} SET deaths = 19`);
    await only.judge({ action: "retry", afterSeconds: 60, failures: 1 });
    const deaths = async () => (await admin.query(`SELECT deaths FROM ${table}`)).rows;
    await expect.poll(deaths).toEqual([{ deaths: 0 }]);
  });

  test("counts the workers that died with an event, and makes it a dead letter after the twenty-first", async () => {
    const { open, admin, table, entries, passTime } = await setUp();
    await open().add({ key, body: "" });
    const dying = [await takeOne(open)];
    await passTime();
    dying.push(await takeOne(open));
    const deaths = await entries("deaths");
    await admin.query(`UPDATE ${table} SET deaths = 20`);
    await passTime();
    const { taken } = await workOn(open());
    await expect.poll(() => entries("state")).toEqual([{ state: "dead" }]);
    for (const worker of dying) await worker.judge({ action: "complete" });
    expect([deaths, taken.entries, await entries("state")]).toEqual([[{ deaths: 1 }], [], [{ state: "dead" }]]);
  });

  test("hands out an event that three workers died with alone, after those before it and before those after it", async () => {
    const { open, admin, table } = await setUp({ max: 1 });
    const inbox = open({ pollSeconds: 60 });
    const gates = { a: createBarrier(), b: createBarrier(), c: createBarrier(), d: createBarrier() };
    const taken = createJournal<string>();
    const handle: InboxHandler = async (entry) => {
      const digit = entry.key[0] as keyof typeof gates;
      taken.note(digit);
      await gates[digit].pass();
      return { action: "complete" };
    };
    const worker = await inbox.work(handle, { concurrency: 3, onError: () => undefined });
    onTestFinished(() => worker.stop({ limitSeconds: 5 }));
    /** Adds an entry and waits until the worker has asked for it: the pool has one connection, and serves in order. */
    async function addAndAsk(digit: keyof typeof gates): Promise<void> {
      await inbox.add({ key: digit.repeat(64), body: "" });
      for (let times = 0; times < 2; times++) await inbox.deadLetters(1);
    }
    await addAndAsk("a");
    await gates.a.arrived(1);
    await admin.query(
      `INSERT INTO ${table} (key, body, due_at, expires_at, deaths) VALUES ($1, '', now(), now() + interval '1 day', 3)`,
      ["b".repeat(64)],
    );
    await addAndAsk("c");
    expect(taken.entries).toEqual(["a"]);
    gates.a.open();
    await gates.b.arrived(1);
    await addAndAsk("d");
    expect(taken.entries).toEqual(["a", "b"]);
    gates.b.open();
    await Promise.all([gates.c.arrived(1), gates.d.arrived(1)]);
    gates.c.open();
    gates.d.open();
  });

  test("takes the entries that are due for longest, and hands them out in that order", async () => {
    // Without an index, PostgreSQL reads rows in the order in which they were written.
    const { open, admin, table } = await setUp({ options: "-c enable_indexscan=off -c enable_bitmapscan=off" });
    for (const [digit, seconds] of [
      ["a", 1],
      ["b", 4],
      ["c", 2],
      ["d", 3],
    ] as const) {
      await admin.query(
        `INSERT INTO ${table} (key, body, due_at, expires_at)
         VALUES ($1, '', now() - $2 * interval '1 second', now() + interval '1 day')`,
        [digit.repeat(64), seconds],
      );
    }
    const { taken } = await workOn(open(), { concurrency: 3 });
    await taken.reached(() => true, 4);
    expect(taken.entries.map((entry) => entry.key[0])).toEqual(["b", "d", "c", "a"]);
  });

  const late: InboxVerdict[] = [
    { action: "complete" },
    { action: "retry", afterSeconds: 0, failures: 9 },
    { action: "dead_letter", error },
  ];

  test.each(late)(
    "W12: a late $action of a worker whose entry was taken over changes nothing, and is reported once",
    async (verdict) => {
      const { open, entries, passTime } = await setUp();
      await open().add({ key, body: "" });
      const stalled = await takeOne(open);
      await passTime();
      await (await takeOne(open)).judge({ action: "retry", afterSeconds: 0, failures: 1 });
      const last = await takeOne(open);
      await stalled.judge(verdict);
      const judged = await entries("state, failures, holder IS NOT NULL AS held");
      await last.judge({ action: "complete" });
      expect(judged).toEqual([{ state: "open", failures: 1, held: true }]);
      expect(await entries("state, failures")).toEqual([{ state: "done", failures: 1 }]);
      expect(stalled.errors.entries).toMatchObject([{ name: "LateVerdict" }]);
      expect(last.errors.entries).toEqual([]);
    },
  );

  test("leaves an event with a live worker for longer than the take-over time", async () => {
    const { open, entries, passTime } = await setUp();
    await open().add({ key, body: "" });
    const slow = await takeOne(open);
    const held = () => entries("due_at > now() AS held, deaths");
    for (let times = 0; times < 2; times++) {
      await passTime();
      await slow.clock.advance(3400);
      await expect.poll(held).toEqual([{ held: true, deaths: 0 }]);
    }
    await slow.judge({ action: "complete" });
  });

  test("rejects while the database is away, and hands out unsettled entries again when it is back", async () => {
    const proxy = await startPostgresProxy(url);
    const { open, entries, passTime } = await setUp({ connectionString: proxy.url });
    onTestFinished(() => proxy.close());
    const inbox = open();
    await inbox.add({ key, body: "" });
    const taken = createJournal<string>();
    const errors = createJournal<unknown>();
    const handle: InboxHandler = async (entry) => {
      taken.note(entry.key);
      // The connection breaks with the verdict.
      if (errors.entries.length === 0) proxy.loseAnswer();
      return { action: "retry", afterSeconds: 3600, failures: 1 };
    };
    const worker = await inbox.work(handle, { concurrency: 1, onError: errors.note });
    await errors.reached(() => true);
    await passTime();
    await worker.stop({ limitSeconds: 5 });
    proxy.loseAnswer();
    await expect(inbox.add({ key, body: "" })).rejects.toThrow();
    // The verdict had arrived, or the entry is handed out again.
    expect(await entries("state")).toEqual([{ state: "open" }]);
    await inbox.add({ key: "b".repeat(64), body: "" });
    const next = await workOn(inbox);
    await next.taken.reached((entry) => entry.key.startsWith("b"));
  });

  test("waits for a lost answer only as long as its clock allows", async () => {
    const proxy = await startPostgresProxy(url);
    const { open } = await setUp({ connectionString: proxy.url });
    onTestFinished(() => proxy.close());
    const clock = createManualClock();
    const inbox = open({ clock });
    await inbox.add({ key, body: "" });
    const { taken, errors } = await workOn(inbox);
    await taken.reached(() => true);
    proxy.dropRequests();
    // The worker asks again after its pause, and waits for ten seconds.
    await expect.poll(() => clock.advance(1000).then(() => errors.entries.length)).toBe(1);
    proxy.restore();
    await inbox.add({ key: "b".repeat(64), body: "" });
    await expect.poll(() => clock.advance(1000).then(() => taken.entries.length)).toBe(2);
    expect(errors.entries[0]).toMatchObject({ code: "store_unavailable" });
  });

  test("rejects `work` when its first answer was lost, and works at the next try", async () => {
    const proxy = await startPostgresProxy(url);
    const { open, pool } = await setUp({ connectionString: proxy.url });
    // Closed before the pool, which would wait for connections whose greeting was lost.
    onTestFinished(() => proxy.close());
    await pool.query("SELECT 1");
    proxy.countCommands();
    const clock = createManualClock();
    const inbox = open({ clock });
    proxy.dropRequests();
    const refused = expect(workOn(inbox)).rejects.toMatchObject({ code: "store_unavailable" });
    await expect.poll(() => proxy.countCommands()).toBe(1);
    await clock.advance(10_000);
    await refused;
    proxy.restore();
    await workOn(inbox);
  });

  test("needs one connection", async () => {
    const { open } = await setUp({ max: 1 });
    const inbox = open();
    expect(await inbox.replay(key)).toBe(false);
    await inbox.add({ key, body: "" });
    const verdicts: InboxVerdict[] = [
      { action: "retry", afterSeconds: 0.01, failures: 1 },
      { action: "dead_letter", error },
    ];
    const { taken } = await workOn(inbox, { verdicts, concurrency: 3 });
    await taken.reached(() => true, 2);
    await expect.poll(() => inbox.replay(key)).toBe(true);
    await taken.reached(() => true, 3);
  });

  test("wakes the workers of its own process when an event is added or replayed", async () => {
    const { open } = await setUp();
    const inbox = open({ pollSeconds: 60 });
    const { taken } = await workOn(inbox);
    for (const digit of "abc") {
      await inbox.add({ key: digit.repeat(64), body: "" });
      await taken.reached((entry) => entry.key.startsWith(digit));
    }
    await expect.poll(() => inbox.replay(key)).toBe(true);
    await taken.reached(({ replayed }) => replayed);
  });

  test("works for a role that may not create anything", async () => {
    const { open, admin, schema, table } = await setUp();
    const role = `${schema}_app`;
    await admin.query(`CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO ${role}`);
    const pool = new Pool({ connectionString: String(Object.assign(new URL(url), { username: role, password: "" })) });
    onTestFinished(async () => {
      await pool.end();
      await admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    });
    await migrate(pool, { schema });
    const inbox = open({ pool });
    await inbox.add({ key, body: "" });
    const { taken, worker } = await workOn(inbox, { concurrency: 5 });
    await taken.reached(() => true);
    await expect.poll(() => inbox.replay(key)).toBe(true);
    await taken.reached(() => true, 2);
    await worker.stop({ limitSeconds: 5 });
  });

  test("removes expired entries once a minute, until it is closed", async () => {
    const { open, admin, table, entries } = await setUp();
    const clock = createManualClock();
    const inbox = open({ clock });
    for (const digit of "abc") await inbox.add({ key: digit.repeat(64), body: "" });
    await admin.query(`UPDATE ${table} SET expires_at = now() - interval '2 minutes' WHERE key <> $1`, [key]);
    await clock.advance(60_000);
    await expect.poll(() => entries("left(key, 1) AS key")).toEqual([{ key: "a" }]);
    await expect.poll(() => clock.nextDue).toBe(clock.now() + 60_000);
    await inbox.close();
    expect(clock.pending).toBe(0);
  });

  test("leaves expired entries to `removeExpired` if `cleaning` is off", async () => {
    const { open, admin, table } = await setUp();
    const clock = createManualClock();
    const inbox = open({ clock, cleaning: false });
    for (const digit of "abc") await inbox.add({ key: digit.repeat(64), body: "" });
    await admin.query(`UPDATE ${table} SET expires_at = now() - interval '2 minutes'`);
    expect(clock.pending).toBe(0);
    expect([await inbox.removeExpired({ batch: 2 }), await inbox.removeExpired()]).toEqual([2, 1]);
    await inbox.close();
    await expect(inbox.removeExpired()).rejects.toThrow(/was closed/);
  });

  test("reports a removal that failed", async () => {
    const { open } = await setUp();
    const clock = createManualClock();
    const errors = createJournal<unknown>();
    open({ table: "missing", clock, onError: errors.note });
    await clock.advance(60_000);
    expect(await errors.reached(() => true)).toMatchObject([{ code: "store_unavailable" }]);
  });

  test("refuses new entries once it is closed, and finishes those it has begun to add", async () => {
    const { open, entries } = await setUp();
    const inbox = open();
    const adding = inbox.add({ key, body: "" });
    await inbox.close();
    await adding;
    await expect(inbox.add({ key: "b".repeat(64), body: "" })).rejects.toThrow(/was closed/);
    expect(await entries("left(key, 1) AS key")).toEqual([{ key: "a" }]);
  });
});

test.each([
  ["pool", { pool: {} }],
  ["schema", { schema: "" }],
  ["table", { table: "t".repeat(51) }],
  ["keepSeconds", { keepSeconds: 60 }],
  ["keepSeconds", { keepSeconds: 31_536_001 }],
  ["keepDeadLettersSeconds", { keepDeadLettersSeconds: 0 }],
  ["keepDeadLettersSeconds", { keepDeadLettersSeconds: 1.5 }],
  ["keepDeadLettersSeconds", { keepDeadLettersSeconds: 31_536_001 }],
  ["takeOverSeconds", { takeOverSeconds: 5 }],
  ["pollSeconds", { pollSeconds: 0 }],
])("refuses a wrong %s, and says what is expected", (option, options) => {
  const pool = new Pool();
  expect(() => createPostgresInbox({ pool, ...JSON.parse(JSON.stringify(options)) })).toThrow(
    new RegExp(`^createPostgresInbox: ${option}(\\.\\w+)?: expected `),
  );
});

test.each([createPostgresInbox, createPostgresStore, createEventTransactions])(
  "$name says what to pass when it is called without options",
  (create) => {
    const call = () => Reflect.apply(create, undefined, []);
    expect(call).toThrow(`${create.name}: options: expected an object such as { pool: new Pool() }`);
  },
);
