import { randomUUID } from "node:crypto";
import type { Inbox, InboxHandler, InboxVerdict } from "@doorcode/core/inbox";
import { createManualClock } from "@doorcode/core/testing";
import { createBossInbox, createEventTransactions, createPostgresStore } from "@doorcode/postgres";
import { Redis } from "ioredis";
import { Client, Pool } from "pg";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { startPostgresProxy } from "../stores/postgres-proxy.ts";
import { findPostgres } from "../support/postgres-server.ts";
import { supervise } from "./inbox-bench.ts";
import { createJournal } from "./journal.ts";

const server = await findPostgres();
afterAll(() => server?.close());
const url = server?.url ?? "";

function setUp(config: { readonly url?: string; readonly max?: number } = {}) {
  const schema = `doorcode_test_${randomUUID().slice(0, 8)}`;
  const admin = new Pool({ connectionString: url, max: 2 });
  const pool = new Pool({ connectionString: config.url ?? url, max: config.max ?? 10 });
  const open = (options = {}) => createBossInbox({ pool, schema, pollSeconds: 0.05, takeOverSeconds: 10, ...options });
  onTestFinished(async () => {
    await pool.end();
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });
  return { admin, pool, schema, open };
}

/** A process that takes one entry, and tells that it lives only when its clock is moved on; `judge` lets go of it. */
async function takeOne(open: (options: object) => Inbox) {
  const clock = createManualClock();
  const inbox = open({ clock });
  const taken = createJournal<unknown>();
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
      await inbox.close();
    },
  };
}

describe.skipIf(!server)("an inbox on PostgreSQL", () => {
  test("starts in ten processes at once, and makes its schema once", async () => {
    const { admin, schema, open } = setUp();
    const inboxes = Array.from({ length: 10 }, () => open());
    await Promise.all(inboxes.map((inbox, index) => inbox.add({ key: String(index).repeat(64), body: "" })));
    await Promise.all(inboxes.map((inbox) => inbox.close()));
    expect((await admin.query(`SELECT 1 FROM ${schema}.job`)).rowCount).toBe(10);
  });

  test("without the right to make its schema says that it is missing, and starts when it is there", async () => {
    const { open } = setUp();
    const limited = open({ migrate: false });
    const entry = { key: "a".repeat(64), body: "" };
    await expect(limited.add(entry)).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringMatching(/migrate: true/),
    });
    const inbox = open();
    await inbox.add(entry);
    await limited.add(entry);
    await Promise.all([inbox.close(), limited.close()]);
  });

  test("keeps what is done for two hours, dead letters for two weeks, and what waits for three months", async () => {
    const { admin, schema, open } = setUp();
    const inbox = open();
    await inbox.add({ key: "a".repeat(64), body: "" });
    await inbox.close();
    const { rows } = await admin.query(
      `SELECT name, deletion_seconds, retention_seconds FROM ${schema}.queue ORDER BY name`,
    );
    expect(rows).toMatchObject([
      { name: "doorcode-webhooks", deletion_seconds: 7200, retention_seconds: 90 * 86_400 },
      { name: "doorcode-webhooks-dead", retention_seconds: 14 * 86_400 },
    ]);
  });

  test("takes over the options of a newer version of the app", async () => {
    const { admin, schema, open } = setUp();
    const before = open();
    await before.add({ key: "a".repeat(64), body: "" });
    await before.close();
    const after = open({ keepSeconds: 9000 });
    await after.add({ key: "b".repeat(64), body: "" });
    await after.close();
    const { rows } = await admin.query(`SELECT deletion_seconds FROM ${schema}.queue WHERE name = 'doorcode-webhooks'`);
    expect(rows).toEqual([{ deletion_seconds: 9000 }]);
  });

  test("buries an event whose workers die again and again", async () => {
    const { admin, schema, open } = setUp();
    const inbox = open();
    await inbox.add({ key: "a".repeat(64), body: "poison" });
    // As pg-boss leaves it when the last worker that it allows died.
    await admin.query(`UPDATE ${schema}.job SET state = 'active', retry_count = retry_limit, started_on = now(),
      heartbeat_on = now() - interval '1 hour'`);
    await supervise(admin, schema);
    const deadLetters = await inbox.deadLetters(1);
    const replayed = await inbox.replay("a".repeat(64));
    await inbox.close();
    const error = { name: "WorkerDied", message: "job heartbeat timeout" };
    expect(deadLetters).toMatchObject([{ key: "a".repeat(64), body: "poison", error }]);
    expect(replayed).toBe(true);
  });

  const late: InboxVerdict[] = [
    { action: "complete" },
    { action: "retry", afterSeconds: 0, failures: 9 },
    { action: "dead_letter", error: { name: "Error", code: undefined, message: "" } },
  ];

  test.each(late)("W12: a worker that was taken over says $act too late, and changes nothing", async (verdict) => {
    const { open, admin, schema } = setUp();
    const inbox = open();
    await inbox.add({ key: "a".repeat(64), body: "" });
    const stalled = await takeOne(open);
    await admin.query(`UPDATE ${schema}.job SET heartbeat_on = now() - interval '1 hour'`);
    await supervise(admin, schema);
    await (await takeOne(open)).judge({ action: "retry", afterSeconds: 3600, failures: 1 });
    await admin.query(`UPDATE ${schema}.job SET start_after = now()`);
    const last = await takeOne(open);
    await stalled.judge(verdict);
    const stored = async () =>
      (await admin.query(`SELECT name, state, data->'failures' AS failures FROM ${schema}.job`)).rows;
    expect(await stored()).toEqual([{ name: "doorcode-webhooks", state: "active", failures: 1 }]);
    await last.judge({ action: "complete" });
    expect(await stored()).toEqual([{ name: "doorcode-webhooks", state: "completed", failures: 1 }]);
    expect([...stalled.errors.entries, ...last.errors.entries]).toEqual([]);
    await inbox.close();
  });

  test("W12: a worker that was taken over says too late what becomes of a job that was replayed since", async () => {
    const { open, admin, schema } = setUp();
    const inbox = open();
    const key = "a".repeat(64);
    await inbox.add({ key, body: "" });
    const stalled = await takeOne(open);
    await admin.query(`UPDATE ${schema}.job SET heartbeat_on = now() - interval '1 hour'`);
    await supervise(admin, schema);
    await (await takeOne(open)).judge({
      action: "dead_letter",
      error: { name: "Error", code: undefined, message: "" },
    });
    expect(await inbox.replay(key)).toBe(true);
    const last = await takeOne(open);
    await stalled.judge({ action: "complete" });
    const { rows } = await admin.query(`SELECT state, retry_limit - retry_count AS deaths FROM ${schema}.job`);
    await last.judge({ action: "complete" });
    await inbox.close();
    expect(rows).toEqual([{ state: "active", deaths: 20 }]);
  });

  test("leaves an event with its worker for longer than the time to take over, while that one lives", async () => {
    const { open, admin, schema } = setUp();
    const inbox = open();
    await inbox.add({ key: "a".repeat(64), body: "" });
    const slow = await takeOne(open);
    const beats = async () =>
      (await admin.query(`SELECT FROM ${schema}.job WHERE heartbeat_on > now() - interval '1 minute'`)).rowCount;
    for (let times = 0; times < 2; times++) {
      await admin.query(`UPDATE ${schema}.job SET heartbeat_on = now() - interval '1 hour'`);
      await slow.clock.advance(3400);
      await expect.poll(beats, { timeout: 10_000 }).toBe(1);
      await supervise(admin, schema);
    }
    const { rows } = await admin.query(`SELECT state, retry_count FROM ${schema}.job`);
    await slow.judge({ action: "complete" });
    await inbox.close();
    expect(rows).toEqual([{ state: "active", retry_count: 0 }]);
  });

  test("does not take a planned pause for a death, and puts who was handed out behind who waits", async () => {
    const { open, admin, schema } = setUp();
    const inbox = open();
    await inbox.add({ key: "a".repeat(64), body: "" });
    await (await takeOne(open)).judge({ action: "retry", afterSeconds: 0, failures: 1 });
    const again = await takeOne(open);
    await inbox.add({ key: "b".repeat(64), body: "" });
    await again.judge({ action: "retry", afterSeconds: 0, failures: 2 });
    const { rows } = await admin.query(
      `SELECT state, retry_limit - retry_count AS deaths, data->'failures' AS failures FROM ${schema}.job ORDER BY created_on`,
    );
    await inbox.close();
    expect(rows).toEqual([
      { state: "created", deaths: 20, failures: 0 },
      { state: "retry", deaths: 21, failures: 2 },
    ]);
  });

  test("rejects while the database is away, goes on when it is back, and hands out what was not settled", async () => {
    const proxy = await startPostgresProxy(url);
    onTestFinished(() => proxy.close());
    const { open, admin, schema } = setUp({ url: proxy.url });
    const inbox = open();
    await inbox.add({ key: "a".repeat(64), body: "" });
    const taken = createJournal<string>();
    const errors = createJournal<unknown>();
    const handle = async ({ key }: { readonly key: string }) => {
      taken.note(key);
      // The verdict is lost, unless maintenance asks something first: then it is the next one.
      if (errors.entries.length === 0) proxy.next = "cut";
      return { action: "retry", afterSeconds: 0, failures: 1 } as const;
    };
    const worker = await inbox.work(handle, { concurrency: 1, onError: errors.note });
    await errors.reached(() => true);
    const before = taken.entries.length;
    await admin.query(`UPDATE ${schema}.job SET heartbeat_on = now() - interval '1 hour' WHERE state = 'active'`);
    await supervise(admin, schema);
    await taken.reached(() => true, before + 1);
    await worker.stop({ limitSeconds: 5 });
    await inbox.close();
    expect(errors.entries.length).toBeGreaterThan(0);
    expect((await admin.query(`SELECT state FROM ${schema}.job WHERE name = 'doorcode-webhooks'`)).rowCount).toBe(1);
  });

  test("does not wait for ever for an answer that was lost on its way", { timeout: 60_000 }, async () => {
    const proxy = await startPostgresProxy(url);
    onTestFinished(() => proxy.close());
    const { open } = setUp({ url: proxy.url });
    const inbox = open();
    await inbox.add({ key: "a".repeat(64), body: "" });
    const taken = createJournal<string>();
    const errors = createJournal<unknown>();
    const handle: InboxHandler = async ({ key }) => {
      taken.note(key);
      return { action: "complete" };
    };
    const worker = await inbox.work(handle, { concurrency: 1, onError: errors.note });
    await taken.reached(() => true);
    proxy.next = "swallow";
    await errors.reached(() => true);
    proxy.next = "pass";
    await inbox.add({ key: "b".repeat(64), body: "" });
    await taken.reached(() => true, 2);
    await worker.stop({ limitSeconds: 5 });
    await inbox.close();
    expect(errors.entries[0]).toMatchObject({ code: "store_unavailable" });
  });

  test("begins anew after half a minute when the first answer was lost on its way", async () => {
    const proxy = await startPostgresProxy(url);
    const { open, pool } = setUp({ url: proxy.url });
    // First, or the pool would wait for connections whose greeting was lost.
    onTestFinished(() => proxy.close());
    await pool.query("SELECT 1");
    proxy.countCommands();
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"], shouldAdvanceTime: true });
    const inbox = open();
    proxy.next = "swallow";
    const adding = inbox.add({ key: "a".repeat(64), body: "" });
    const refused = expect(adding).rejects.toMatchObject({ code: "store_unavailable" });
    await expect.poll(() => proxy.countCommands()).toBe(1);
    await vi.advanceTimersByTimeAsync(30_000);
    await refused;
    vi.useRealTimers();
    proxy.next = "pass";
    await inbox.add({ key: "a".repeat(64), body: "" });
    await inbox.close();
  });

  test("needs one connection, also when its first act is a replay", async () => {
    const { open } = setUp({ max: 1 });
    const inbox = open();
    const key = "a".repeat(64);
    expect(await inbox.replay(key)).toBe(false);
    await inbox.add({ key, body: "" });
    const taken = createJournal<unknown>();
    const verdicts: InboxVerdict[] = [
      { action: "retry", afterSeconds: 0.01, failures: 1 },
      { action: "dead_letter", error: { name: "Error", code: undefined, message: "" } },
    ];
    const handle: InboxHandler = async (entry) => {
      taken.note(entry);
      return verdicts.shift() ?? { action: "complete" };
    };
    const worker = await inbox.work(handle, { concurrency: 3, onError: () => undefined });
    await taken.reached(() => true, 2);
    await expect.poll(() => inbox.replay(key), { timeout: 10_000 }).toBe(true);
    await taken.reached(() => true, 3);
    await worker.stop({ limitSeconds: 5 });
    await inbox.close();
  });

  test("has a worker of its own process look at once when an event comes", async () => {
    const { open } = setUp();
    const inbox = open({ pollSeconds: 60 });
    const taken = createJournal<string>();
    const handle: InboxHandler = async ({ key }) => {
      taken.note(key);
      return { action: "complete" };
    };
    const worker = await inbox.work(handle, { concurrency: 1, onError: () => undefined });
    for (const digit of "abc") {
      await inbox.add({ key: digit.repeat(64), body: "" });
      await taken.reached((key) => key.startsWith(digit));
    }
    await worker.stop({ limitSeconds: 5 });
    await inbox.close();
    expect(taken.entries).toHaveLength(3);
  });

  const foreign = ['{"hello":1}', '"hello"', "[1]", "1", "null"];

  test.each(foreign)("hands over %s of somebody else's as an empty body, and it holds up nothing", async (data) => {
    const { open, admin, schema } = setUp();
    const inbox = open();
    await inbox.add({ key: "a".repeat(64), body: "" });
    await admin.query(`UPDATE ${schema}.job SET data = $1`, [data]);
    await inbox.add({ key: "b".repeat(64), body: "body" });
    const taken = createJournal<string>();
    const handle: InboxHandler = async ({ body }) => {
      taken.note(body);
      return { action: "dead_letter", error: { name: "Error", code: undefined, message: "" } };
    };
    const worker = await inbox.work(handle, { concurrency: 5, onError: () => undefined });
    await taken.reached(() => true, 2);
    await expect.poll(() => inbox.deadLetters(10), { timeout: 10_000 }).toHaveLength(2);
    await worker.stop({ limitSeconds: 5 });
    await inbox.close();
    expect([...taken.entries].sort()).toEqual(["", "body"]);
  });

  test("survives that the server closes an idle connection, though nobody listens on the pool", async () => {
    const { open, pool, admin } = setUp({ max: 1 });
    const inbox = open();
    await inbox.add({ key: "a".repeat(64), body: "" });
    const { rows } = await pool.query("SELECT pg_backend_pid() AS pid");
    await admin.query("SELECT pg_terminate_backend($1)", [rows[0].pid]);
    await expect.poll(() => pool.totalCount, { timeout: 10_000 }).toBe(0);
    await inbox.add({ key: "b".repeat(64), body: "" });
    await inbox.close();
  });

  test("has a role work that may not create anything, once the schema is there", async () => {
    const { open, admin, schema } = setUp();
    const first = open();
    await first.add({ key: "a".repeat(64), body: "" });
    await first.close();
    const role = `${schema}_app`;
    await admin.query(`CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
    const pool = new Pool({ connectionString: String(Object.assign(new URL(url), { username: role, password: "" })) });
    onTestFinished(async () => {
      await pool.end();
      await admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    });
    const inbox = open({ pool, migrate: false });
    await inbox.add({ key: "b".repeat(64), body: "" });
    const taken = createJournal<string>();
    const handle: InboxHandler = async ({ key }) => {
      taken.note(key);
      return { action: "complete" };
    };
    const worker = await inbox.work(handle, { concurrency: 5, onError: () => undefined });
    await taken.reached(() => true, 2);
    await expect.poll(() => inbox.replay("a".repeat(64)), { timeout: 10_000 }).toBe(true);
    await taken.reached(() => true, 3);
    await worker.stop({ limitSeconds: 5 });
    await inbox.close();
  });

  test("removes what has been kept for long enough within minutes, not once a day", { timeout: 60_000 }, async () => {
    const { open, admin, schema } = setUp();
    const inbox = open();
    await inbox.add({ key: "a".repeat(64), body: "" });
    await admin.query(`UPDATE ${schema}.job SET state = 'completed', completed_on = now() - interval '7201 seconds';
      UPDATE ${schema}.queue SET maintain_on = now() - interval '301 seconds', monitor_claim_on = NULL, monitor_on = NULL`);
    const kept = async () => (await admin.query(`SELECT FROM ${schema}.job`)).rowCount;
    await expect.poll(kept, { timeout: 50_000, interval: 100 }).toBe(0);
    await inbox.close();
  });

  test("once closed refuses to keep anything, also when it is closed while it starts", async () => {
    const { open } = setUp();
    const inbox = open();
    const adding = inbox.add({ key: "a".repeat(64), body: "" });
    await inbox.close();
    await adding;
    await expect(inbox.add({ key: "b".repeat(64), body: "" })).rejects.toThrow(/was closed/);
  });
});

test.each([
  ["pool", { pool: {} }],
  ["schema", { schema: "a-b" }],
  ["schema", { schema: 5 }],
  ["name", { name: "a b" }],
  ["name", { name: ["a"] }],
  ["migrate", { migrate: "no" }],
  ["keepSeconds", { keepSeconds: 60 }],
  ["keepSeconds", { keepSeconds: 31_536_001 }],
  ["keepDeadLettersSeconds", { keepDeadLettersSeconds: 31_536_001 }],
  ["takeOverSeconds", { takeOverSeconds: 5 }],
  ["pollSeconds", { pollSeconds: 0 }],
  ["onError", { onError: "warn" }],
  ["clock", { clock: {} }],
])("refuses a wrong %s, and says what it expected", (option, options) => {
  const pool = new Pool();
  expect(() => createBossInbox({ pool, ...JSON.parse(JSON.stringify(options)) })).toThrow(
    new RegExp(`createBossInbox: ${option} (must|is)`),
  );
});

test("takes an option that is undefined for one that was left out", () => {
  const given = { pool: new Pool(), schema: undefined, clock: undefined };
  expect(() => Reflect.apply(createBossInbox, undefined, [given])).not.toThrow();
});

describe.each([createBossInbox, createPostgresStore, createEventTransactions])("$name", (create) => {
  const pool = new Pool();
  const store = createPostgresStore({ pool });
  const call = (...given: readonly unknown[]) => Reflect.apply(create, undefined, given);

  test("says what to pass when it is called without options", () => {
    expect(() => call()).toThrow(/options are missing: pass \{ pool/);
  });

  test("refuses an option that it does not know", () => {
    const { name } = create;
    const known = name === "createEventTransactions" ? { pool, store } : { pool };
    expect(() => call({ ...known, poll: 1 })).toThrow(`${name}: options: Unrecognized key: "poll"`);
  });

  test("refuses a connection of pg, and a client of Redis, where a pool is needed", () => {
    const redis = new Redis({ lazyConnect: true });
    const others = create === createEventTransactions ? { store } : {};
    for (const none of [new Client(), redis]) expect(() => call({ ...others, pool: none })).toThrow(/new Pool/);
    redis.disconnect();
  });
});
