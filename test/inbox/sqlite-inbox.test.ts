import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { InboxVerdict } from "@doorcode/core/inbox";
import { createManualClock } from "@doorcode/core/testing";
import { createSqliteInbox, createSqliteStore, type SqliteInboxOptions } from "@doorcode/sqlite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openSqliteFile } from "./open-engine.ts";

const key = "a".repeat(64);
const dayMilliseconds = 86_400_000;

/** A file that is removed with the test, and a connection to look at it. */
function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-inbox-"));
  const file = join(folder, "doorcode.sqlite");
  const clock = createManualClock();
  createSqliteStore({ file }).close();
  const database = openSqliteFile(file);
  onTestFinished(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });
  const open = (options: Partial<SqliteInboxOptions> = {}) => {
    const inbox = createSqliteInbox({ file, clock, takeOverSeconds: 10, pollSeconds: 1, ...options });
    onTestFinished(() => inbox.close());
    return inbox;
  };
  return {
    ...{ clock, database, open },
    entries: (columns: string) =>
      database
        .prepare(`SELECT ${columns} FROM doorcode_inbox ORDER BY due_at, rowid`)
        .all()
        .map((row) => ({ ...row })),
    /** Gives up to five entries that are due the same verdict, and returns their first digits. */
    async judgeDue(verdict: InboxVerdict, options?: Partial<SqliteInboxOptions>): Promise<string> {
      let digits = "";
      const handle = async ({ key }: { readonly key: string }) => {
        digits += key[0];
        return verdict;
      };
      const onError = (error: unknown) => expect.fail(String(error));
      const worker = await open(options).work(handle, { concurrency: 5, onError });
      await worker.stop({ limitSeconds: 5 });
      return digits;
    },
  };
}

describe("an inbox in a file", () => {
  test("neither lists nor counts nor replays nor hands out what has expired, and removes it as it changes", async () => {
    const { clock, open, entries, judgeDue } = setUp();
    const inbox = open();
    for (const digit of "abcde") await inbox.add({ key: digit.repeat(64), body: "" });
    const error = { name: "Error", code: undefined, message: "" };
    await judgeDue({ action: "dead_letter", error }, { keepDeadLettersSeconds: 60 });
    for (const digit of "0123456789f") await inbox.add({ key: digit.repeat(64), body: "" });
    const before = await inbox.deadLetters(10);
    await clock.advance(60_000);
    expect([before.length, await inbox.deadLetters(10)]).toEqual([5, []]);
    expect(await inbox.counts()).toEqual({ open: 11, dead: 0 });
    const left = entries("key").length;
    expect([left, await inbox.replay("e".repeat(64)), entries("key").length]).toEqual([16, false, 12]);
    await clock.advance(90 * dayMilliseconds);
    // More entries have expired than one change removes.
    expect(await judgeDue({ action: "complete" })).toBe("");
    await judgeDue({ action: "complete" });
    await judgeDue({ action: "complete" });
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
