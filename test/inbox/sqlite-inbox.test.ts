import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { InboxHandler, InboxVerdict, TakenEntry } from "@doorcode/core/inbox";
import { createManualClock, type ManualClock } from "@doorcode/core/testing";
import { createSqliteInbox, createSqliteStore, type SqliteInboxOptions } from "@doorcode/sqlite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createJournal } from "./journal.ts";
import { openSqliteFile } from "./open-engine.ts";

const key = "a".repeat(64);
const error = { name: "Error", code: undefined, message: "" };
const [hour, day] = [3_600_000, 86_400_000];
const complete: InboxVerdict = { action: "complete" };

/** A file that is removed with the test, and a connection to look at it. */
function setUp(prepare: (database: DatabaseSync) => void = () => undefined) {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-inbox-"));
  const file = join(folder, "doorcode.sqlite");
  const clock = createManualClock();
  createSqliteStore({ file }).close();
  const database = openSqliteFile(file);
  prepare(database);
  onTestFinished(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });
  return {
    file,
    clock,
    database,
    open(options: Partial<SqliteInboxOptions> = {}) {
      const inbox = createSqliteInbox({ file, clock, takeOverSeconds: 10, pollSeconds: 1, ...options });
      onTestFinished(() => inbox.close());
      return inbox;
    },
    entries: (columns: string) =>
      database
        .prepare(`SELECT ${columns} FROM doorcode_inbox ORDER BY due_at, rowid`)
        .all()
        .map((row) => ({ ...row })),
    /** Adds entries that so many workers died with, the first one due first. */
    addDying(deaths: Readonly<Record<string, number>>) {
      const add = database.prepare(
        "INSERT INTO doorcode_inbox (key, body, due_at, expires_at, deaths) VALUES (?, x'', ?, ?, ?)",
      );
      for (const [index, [digit, count]] of Object.entries(deaths).entries()) {
        add.run(digit.repeat(64), clock.now() - 100 + index, clock.now() + day, count);
      }
    },
  };
}

type Setup = ReturnType<typeof setUp>;

/** A worker of its own connection. It gives the verdicts that the test asks for. */
async function startWorker(
  { open, clock }: Setup,
  { concurrency = 1, options = {} as Partial<SqliteInboxOptions> } = {},
) {
  const taken = createJournal<TakenEntry>();
  const errors: unknown[] = [];
  const verdicts = new Map<string, (verdict: InboxVerdict) => void>();
  const handle: InboxHandler = (entry) => {
    taken.note(entry);
    const { promise, resolve } = Promise.withResolvers<InboxVerdict>();
    verdicts.set(entry.key.slice(0, 1), resolve);
    return promise;
  };
  const inbox = open(options);
  const worker = await inbox.work(handle, { concurrency, onError: (thrown) => void errors.push(thrown) });
  await clock.advance(0);
  return {
    errors,
    /** The first digits of the entries that it took, in their order. */
    digits: () => taken.entries.map((entry) => entry.key[0]).join(""),
    /** The first digits of the entries that wait for a verdict. */
    held: () => [...verdicts.keys()].join(""),
    async judge(digit: string, verdict: InboxVerdict = complete) {
      verdicts.get(digit)?.(verdict);
      verdicts.delete(digit);
      await clock.advance(0);
    },
    /** Dies: gives up what it holds, and never renews it. */
    async die() {
      const stopped = worker.stop({ limitSeconds: 0 });
      await clock.advance(0);
      await stopped;
    },
  };
}

/** Lets the time to take over pass. */
const takeOver = (clock: ManualClock) => clock.advance(10_000);

describe("an inbox in a file", () => {
  test("keeps handled events for two hours, dead letters for two weeks, and waiting events for 90 days", async () => {
    const setup = setUp();
    const { clock, entries } = setup;
    const inbox = setup.open();
    for (const digit of "abcd") await inbox.add({ key: digit.repeat(64), body: "" });
    const worker = await startWorker(setup, { concurrency: 3 });
    await worker.judge("a");
    await worker.judge("b", { action: "dead_letter", error });
    await worker.judge("c", { action: "retry", afterSeconds: 60, failures: 1 });
    const kept = entries("substr(key, 1, 1) AS key, expires_at").map((row) => ({
      ...row,
      expires_at: Number(row.expires_at) - clock.now(),
    }));
    expect(kept.sort((left, right) => (String(left) < String(right) ? -1 : 1))).toEqual(
      expect.arrayContaining([
        { key: "a", expires_at: 2 * hour },
        { key: "b", expires_at: 14 * day },
        { key: "c", expires_at: 90 * day + 60_000 },
        { key: "d", expires_at: 90 * day },
      ]),
    );
  });

  test("knows a handled event for as long as its option says, and takes it for a new one afterwards", async () => {
    const setup = setUp();
    const { clock, entries } = setup;
    const inbox = setup.open({ keepSeconds: 7300 });
    await inbox.add({ key, body: "first" });
    const worker = await startWorker(setup, { options: { keepSeconds: 7300 } });
    await worker.judge("a");
    await worker.die();
    await clock.advance(7_300_000 - 1);
    await inbox.add({ key, body: "again" });
    const known = entries("state");
    await clock.advance(1);
    // More have expired than one change removes.
    setup.database.exec(`INSERT INTO doorcode_inbox (key, body, due_at, expires_at)
      WITH RECURSIVE old (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM old LIMIT 20) SELECT id, x'', 0, 0 FROM old`);
    await inbox.add({ key, body: "again" });
    expect(known).toEqual([{ state: "done" }]);
    expect(entries("state, CAST(body AS TEXT) AS body").at(-1)).toEqual({ state: "open", body: "again" });
  });

  test("neither lists nor replays nor hands out what has expired, and removes it as it changes", async () => {
    const setup = setUp();
    const { clock, entries } = setup;
    const inbox = setup.open({ keepDeadLettersSeconds: 60 });
    for (const digit of "0123456789abcdef") await inbox.add({ key: digit.repeat(64), body: "" });
    // These are due first.
    setup.database.exec("UPDATE doorcode_inbox SET due_at = due_at - 1 WHERE key BETWEEN 'a' AND 'f'");
    const worker = await startWorker(setup, { concurrency: 5, options: { keepDeadLettersSeconds: 60 } });
    for (const digit of "abcde") await worker.judge(digit, { action: "dead_letter", error });
    await worker.die();
    const before = await inbox.deadLetters(10);
    await clock.advance(60_000);
    expect([before.length, await inbox.deadLetters(10)]).toEqual([5, []]);
    const left = entries("key").length;
    expect([left, await inbox.replay("e".repeat(64)), entries("key").length]).toEqual([16, false, 12]);
    await clock.advance(90 * day);
    // More entries have expired than one change removes.
    expect((await startWorker(setup, { concurrency: 5 })).digits()).toBe("");
    await clock.advance(2000);
    expect(entries("key")).toEqual([]);
  });

  test("takes the entries that are due for longest, and hands them out in that order", async () => {
    const setup = setUp();
    // Without an index, SQLite reads rows in the order in which they were written.
    setup.database.exec("DROP INDEX doorcode_inbox_due");
    setup.addDying({ a: 0, b: 0, c: 0, d: 0 });
    setup.database.exec("UPDATE doorcode_inbox SET due_at = -due_at");
    const first = await startWorker(setup, { concurrency: 3 });
    expect(first.digits()).toBe("dcb");
  });

  test("counts only deaths in a row: a verdict forgets them", async () => {
    const setup = setUp();
    const { clock, entries } = setup;
    await setup.open().add({ key, body: "" });
    await (await startWorker(setup)).die();
    await takeOver(clock);
    const second = await startWorker(setup);
    const died = entries("deaths");
    await second.judge("a", { action: "retry", afterSeconds: 1, failures: 0 });
    expect([died, entries("deaths, holder")]).toEqual([[{ deaths: 1 }], [{ deaths: 0, holder: null }]]);
  });

  test("replays a dead letter as a new entry, without its failures and its error", async () => {
    const setup = setUp();
    const inbox = setup.open();
    await inbox.add({ key, body: "" });
    const worker = await startWorker(setup);
    await worker.judge("a", { action: "retry", afterSeconds: 1, failures: 3 });
    await setup.clock.advance(1000);
    await worker.judge("a", { action: "dead_letter", error });
    const dead = setup.entries("state, failures");
    await worker.die();
    await inbox.replay(key);
    expect(dead).toEqual([{ state: "dead", failures: 3 }]);
    expect(setup.entries("state, failures, deaths, error, replayed")).toEqual([
      { state: "open", failures: 0, deaths: 0, error: null, replayed: 1 },
    ]);
  });

  test("makes a dead letter of the event that kills its workers, and of none beside it", async () => {
    const setup = setUp();
    const { clock, entries } = setup;
    const inbox = setup.open();
    for (const digit of "abcde") await inbox.add({ key: digit.repeat(64), body: "" });
    const deaths: string[] = [];
    while (deaths.length < 21) {
      const worker = await startWorker(setup, { concurrency: 5 });
      while (!worker.held().includes("c")) for (const digit of worker.held()) await worker.judge(digit);
      deaths.push(worker.held());
      await worker.die();
      await takeOver(clock);
    }
    const last = await startWorker(setup, { concurrency: 5 });
    expect(deaths).toEqual(["abcde", "abcde", "abcde", ...Array(18).fill("c")]);
    expect(last.digits()).toBe("");
    expect(
      entries("substr(key, 1, 1) || ' ' || state AS entry")
        .map((row) => row.entry)
        .sort(),
    ).toEqual([...["a done", "b done", "c dead", "d done", "e done"]]);
    expect(await inbox.deadLetters(2)).toMatchObject([{ key: "c".repeat(64), error: { name: "WorkerDied" } }]);
  });

  test("hands out an event that three workers died with alone: after those before it, and before those after it", async () => {
    const setup = setUp();
    setup.addDying({ a: 0, b: 3, c: 0, d: 2 });
    const worker = await startWorker(setup, { concurrency: 4 });
    const first = worker.digits();
    await setup.clock.advance(1000);
    const busy = worker.digits();
    await worker.judge("a");
    const alone = worker.digits();
    await setup.clock.advance(1000);
    const stillAlone = worker.digits();
    await worker.judge("b");
    expect([first, busy, alone, stillAlone, worker.digits()]).toEqual(["a", "a", "ab", "ab", "abcd"]);
  });

  test.each<InboxVerdict>([
    complete,
    { action: "retry", afterSeconds: 0, failures: 9 },
    { action: "dead_letter", error },
  ])("W12: a late $action of a worker whose entry was taken over changes nothing, and is reported", async (verdict) => {
    const setup = setUp();
    const { clock, entries, database } = setup;
    await setup.open().add({ key, body: "" });
    const stalled = await startWorker(setup);
    // Its event loop was blocked, so that it has not renewed its hold.
    database.exec("UPDATE doorcode_inbox SET due_at = 0");
    const next = await startWorker(setup);
    const before = entries("*");
    await stalled.judge("a", verdict);
    expect(entries("*")).toEqual(before);
    expect(stalled.errors).toMatchObject([{ name: "LateVerdict" }]);
    await next.judge("a");
    expect([next.errors, entries("state")]).toEqual([[], [{ state: "done" }]]);
    await clock.advance(0);
  });

  test("leaves an event with a live worker for longer than the time to take over", async () => {
    const setup = setUp();
    await setup.open().add({ key, body: "" });
    const slow = await startWorker(setup);
    const other = await startWorker(setup);
    await setup.clock.advance(60_000);
    await slow.judge("a");
    expect([other.digits(), slow.errors, setup.entries("state")]).toEqual(["", [], [{ state: "done" }]]);
  });

  test("hands out each of a thousand entries once to ten workers on connections of their own", async () => {
    const setup = setUp();
    const inbox = setup.open();
    const keys = Array.from({ length: 1000 }, (_, index) => String(index).padStart(64, "0"));
    await Promise.all(keys.map((each) => inbox.add({ key: each, body: "" })));
    const taken: string[] = [];
    const handle: InboxHandler = async (entry) => {
      taken.push(entry.key);
      return complete;
    };
    const onError = (thrown: unknown) => expect.fail(String(thrown));
    for (let worker = 0; worker < 10; worker++) await setup.open().work(handle, { concurrency: 7, onError });
    while (taken.length < keys.length) await setup.clock.advance(1000);
    expect(taken.toSorted()).toEqual(keys);
  });

  test("rejects an event that it could not store in time, because another process writes", async () => {
    const { database, clock, open, entries } = setUp();
    const inbox = open({ timeoutSeconds: 1 });
    database.exec("BEGIN IMMEDIATE");
    const adding = inbox.add({ key, body: "" }).catch((thrown: unknown) => thrown);
    for (let passed = 0; passed < 1100; passed += 10) await clock.advance(10);
    expect(await adding).toMatchObject({ code: "store_unavailable" });
    database.exec("COMMIT");
    expect(entries("key")).toEqual([]);
  });

  test.each([
    [{}, "full"],
    [{ synchronous: "normal" as const }, "normal"],
  ])(
    "with the options %j stores an event in the mode %s, and waits for the disk if that is full",
    async (options, mode) => {
      const { open } = setUp();
      const exec = vi.spyOn(DatabaseSync.prototype, "exec");
      onTestFinished(() => exec.mockRestore());
      await open(options).add({ key, body: "" });
      // The connection that has committed last is the one that has stored the event.
      const connection = exec.mock.contexts.at(-1);
      const settings = exec.mock.calls.filter((_call, index) => exec.mock.contexts[index] === connection).join("; ");
      expect(settings).toContain(`synchronous = ${mode}`);
      expect(settings).toMatch(/BEGIN IMMEDIATE; COMMIT$/);
    },
  );

  test("that is closed refuses every call", async () => {
    const inbox = setUp().open();
    await inbox.close();
    await inbox.close();
    await expect(inbox.add({ key, body: "" })).rejects.toThrow(/The inbox was closed: create another one/);
    await expect(inbox.work(async () => complete, { concurrency: 1, onError: () => {} })).rejects.toThrow(TypeError);
  });
});

describe("a file of the first version", () => {
  const statements = `CREATE TABLE IF NOT EXISTS doorcode_entries (
  key BLOB PRIMARY KEY,
  value BLOB,
  count INTEGER NOT NULL,
  holder BLOB,
  leased_until INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS doorcode_entries_expiry ON doorcode_entries (expires_at);
PRAGMA application_id = 1148153714; PRAGMA user_version = 1;
INSERT INTO doorcode_entries VALUES (CAST('key' AS BLOB), CAST('value' AS BLOB), 7, NULL, 0, 9000000000000)`;

  test.each(["the store", "the inbox"])(
    "keeps its entries and gets the inbox, when %s opens it first",
    async (first) => {
      const folder = mkdtempSync(join(tmpdir(), "doorcode-inbox-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const file = join(folder, "doorcode.sqlite");
      createSqliteStore({ file }).close();
      // The store has created it, readable by its owner alone. It is filled as the first version did.
      const old = new DatabaseSync(file);
      old.exec("DROP TABLE doorcode_inbox; DROP TABLE doorcode_entries");
      old.exec(statements);
      old.close();
      const opening = first === "the inbox" ? [createSqliteInbox({ file })] : [];
      const store = createSqliteStore({ file });
      const inbox = opening[0] ?? createSqliteInbox({ file });
      await inbox.add({ key, body: "" });
      expect(await store.get(["key"])).toEqual(["value"]);
      expect(await store.increment([{ key: "key", by: 0, ttlSeconds: 1 }])).toMatchObject([{ count: 7 }]);
      expect(await inbox.replay(key)).toBe(false);
      await Promise.all([store.close(), inbox.close()]);
    },
  );
});

test.each([
  {},
  { file: ":memory:" },
  { file: "x", synchronous: "off" },
  { file: "x", keepSeconds: 7199 },
  { file: "x", keepDeadLettersSeconds: 0 },
  { file: "x", takeOverSeconds: 9 },
  { file: "x", pollSeconds: 0 },
  { file: "x", table: "y" },
])("L27: wrong options %j stop at start", (options) => {
  expect(() => createSqliteInbox(options as never)).toThrow(/^createSqliteInbox: /);
  expect(() => createSqliteInbox(options as never)).toThrow(TypeError);
});
