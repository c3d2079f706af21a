import { randomUUID } from "node:crypto";
import type { Inbox, InboxHandler, InboxVerdict, TakenEntry } from "@doorcode/core/inbox";
import { createManualClock } from "@doorcode/core/testing";
import { createPostgresInbox, migrate, type PostgresInbox, type PostgresInboxOptions } from "@doorcode/postgres";
import { Pool, type PoolConfig } from "pg";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import type { RunStatement } from "../../packages/postgres/src/connection/run-statement.ts";
import { renewEntries } from "../../packages/postgres/src/inbox/inbox-entries.ts";
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

  test("neither counts nor hands out nor replays an entry that has expired, although its row is still there", async () => {
    const { admin, table, open } = await setUp();
    const inbox = open({ cleaning: false });
    const [open1, done, live] = ["a", "b", "c"].map((letter) => letter.repeat(64)) as [string, string, string];
    for (const entry of [open1, done]) await inbox.add({ key: entry, body: "" });
    await admin.query(`UPDATE ${table} SET expires_at = now() - interval '1 second'`);
    await admin.query(`UPDATE ${table} SET state = 'done' WHERE key = $1`, [done]);
    expect([await inbox.replay(done), await inbox.counts()]).toEqual([false, { open: 0, dead: 0 }]);
    await inbox.add({ key: live, body: "" });
    const { taken } = await workOn(inbox, { concurrency: 3 });
    await taken.reached((entry) => entry.key === live);
    expect(taken.entries.map((entry) => entry.key)).toEqual([live]);
  });

  test("replays an entry as new: what workers died with it before does not count any more", async () => {
    const { admin, table, open, entries } = await setUp();
    const inbox = open({ cleaning: false });
    await inbox.add({ key, body: "" });
    await admin.query(`UPDATE ${table} SET state = 'dead', deaths = 21, failures = 8`);
    expect(await inbox.replay(key)).toBe(true);
    expect(await entries("deaths, failures, replayed")).toEqual([{ deaths: 0, failures: 0, replayed: true }]);
  });

  test("renews no hold that another worker has taken over", async () => {
    const { admin, pool, table, open, entries } = await setUp();
    const inbox = open({ cleaning: false });
    await inbox.add({ key, body: "" });
    await admin.query(`UPDATE ${table} SET holder = 'its successor'`);
    const before = await entries("due_at");
    const run: RunStatement = async (text, values) => (await pool.query(text, [...values])).rows;
    const entry = { key, body: "", failures: 0, replayed: false, deaths: 0 };
    await renewEntries({ run, table, takeOverSeconds: 100 }, [{ entry, holder: "a worker that stood still" }]);
    expect(await entries("due_at")).toEqual(before);
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
