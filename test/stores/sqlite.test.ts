import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import fs, {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createManualClock } from "@doorcode/core/testing";
import { createSqliteStore } from "@doorcode/sqlite";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { advanceUntil } from "../support/advance-until.ts";
import { testConformance, testLifetimes, testRealTime } from "./conformance.ts";

const folder = mkdtempSync(join(tmpdir(), "doorcode-sqlite-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const newFile = () => join(folder, `${randomUUID()}.sqlite`);
const minute = { ttlSeconds: 60 };

/** Runs SQL on a file, as another program does. */
function execute(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

function query(file: string, sql: string): readonly Record<string, unknown>[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

function openStore(file = newFile(), options: Partial<Parameters<typeof createSqliteStore>[0]> = {}) {
  const store = createSqliteStore({ file, ...options });
  onTestFinished(() => store.close());
  return store;
}

describe("the store in a file", () => {
  const file = newFile();
  const store = createSqliteStore({ file, synchronous: "normal" });
  afterAll(() => store.close());

  async function advance(milliseconds: number): Promise<void> {
    execute(
      file,
      `UPDATE doorcode_entries SET expires_at = expires_at - ${milliseconds}, leased_until = leased_until - ${milliseconds}`,
    );
  }

  testConformance({ store: () => store, advance });
  testRealTime(() => store);
  testLifetimes(async () =>
    query(file, "SELECT expires_at FROM doorcode_entries").map((row) => Number(row.expires_at)),
  );
});

describe("a file of the store", () => {
  test("is readable by its owner alone, with all that SQLite writes beside it", async () => {
    const file = newFile();
    await openStore(file).put("key", "value", minute);
    const modes = ["", "-wal", "-shm"].map((ending) => statSync(file + ending).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
  });

  test("loses expired entries as others are written", async () => {
    const file = newFile();
    const clock = createManualClock();
    const store = openStore(file, { clock });
    await store.increment(Array.from({ length: 100 }, (_, index) => ({ key: `old ${index}`, by: 1, ttlSeconds: 1 })));
    await clock.advance(1000);
    for (let index = 0; index < 25; index++) await store.put(`new ${index}`, "value", minute);
    expect(query(file, "SELECT count(*) AS entries FROM doorcode_entries")).toEqual([{ entries: 25 }]);
  });

  test("has an entry until the last millisecond of its lifetime", async () => {
    const clock = createManualClock();
    const store = openStore(newFile(), { clock });
    await store.put("key", "value", { ttlSeconds: 1 });
    await clock.advance(999);
    expect(await store.get(["key"])).toEqual(["value"]);
    await clock.advance(1);
    expect(await store.get(["key"])).toEqual([undefined]);
  });

  test("may be there without a table, as another process leaves it for a moment when it creates the file", async () => {
    const file = newFile();
    execute(file, "PRAGMA journal_mode = WAL");
    chmodSync(file, 0o600);
    expect(statSync(file).size).toBeGreaterThan(0);
    await openStore(file).put("key", "value", minute);
  });

  test("has nothing of a call that fails in its middle, and takes the next one", async () => {
    const file = newFile();
    const store = openStore(file);
    const change = { by: 1, ttlSeconds: 60 };
    execute(
      file,
      "CREATE TRIGGER full BEFORE INSERT ON doorcode_entries WHEN NEW.key = CAST('b' AS BLOB) BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    const counting = store.increment(["a", "b"].map((key) => ({ key, ...change })));
    await expect(counting).rejects.toMatchObject({ code: "store_unavailable" });
    expect(await store.increment([{ key: "a", ...change }])).toMatchObject([{ count: 1 }]);
  });

  test("can be a link; where the link leads to another file, calls reject", async () => {
    const link = newFile();
    const [first, second] = [newFile(), newFile()];
    symlinkSync(first, link);
    const store = openStore(link);
    // The size of the log is looked at by the 64th of them.
    for (let call = 1; call <= 64; call++) await store.put("key", `${call}`, minute);
    expect(await openStore(first).get(["key"])).toEqual(["64"]);
    writeFileSync(second, "", { mode: 0o600 });
    rmSync(link);
    symlinkSync(second, link);
    await expect(store.get(["key"])).rejects.toMatchObject({ code: "store_unavailable" });
  });

  test("has a log that stays small, also after another program has read for long", async () => {
    const file = newFile();
    const store = openStore(file);
    const logBytes = () => statSync(`${file}-wal`).size;
    let largest = 0;
    async function write(calls: number): Promise<void> {
      for (let call = 1; call <= calls; call++) {
        await store.put("key", randomUUID().repeat(1500), minute);
        largest = Math.max(largest, logBytes());
      }
    }
    await write(600);
    expect(largest).toBeLessThan(12_000_000);
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec("BEGIN; SELECT count(*) FROM doorcode_entries");
    await write(300);
    expect(logBytes()).toBeGreaterThan(12_000_000);
    reader.close();
    await write(64);
    expect(logBytes()).toBeLessThan(12_000_000);
  });

  test("that is closed refuses every call", async () => {
    const store = createSqliteStore({ file: newFile() });
    await store.close();
    await store.close();
    await expect(store.get(["key"])).rejects.toMatchObject({ code: "store_unavailable" });
  });
});

/** Lets files seem to be on other file systems, by the numbers of Linux. Returns a function that ends it. */
function setFileSystem(typeOf: (place: string) => number): () => void {
  const { statfsSync } = fs;
  fs.statfsSync = ((place: string) => ({ ...statfsSync(place), type: typeOf(place) })) as typeof statfsSync;
  syncBuiltinESMExports();
  return () => {
    fs.statfsSync = statfsSync;
    syncBuiltinESMExports();
  };
}

describe("a file that is not the store's is refused, and not changed", () => {
  test.each<[string, (file: string) => void, RegExp]>([
    [
      "of another program",
      (file) => execute(file, "CREATE TABLE users (id)"),
      /belongs to another program: name a file of its own/,
    ],
    [
      "without SQLite in it",
      (file) => writeFileSync(file, "not a database ".repeat(100)),
      /is damaged or no SQLite file: restore/,
    ],
    [
      "of a newer package",
      (file) => {
        createSqliteStore({ file }).close?.();
        execute(file, "PRAGMA user_version = 3; PRAGMA wal_checkpoint(TRUNCATE)");
      },
      /newer @doorcode\/sqlite: update the package/,
    ],
  ])("%s", (_what, prepare, message) => {
    const file = newFile();
    prepare(file);
    chmodSync(file, 0o600);
    const before = readFileSync(file);
    expect(() => createSqliteStore({ file })).toThrow(message);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test.each([0o644, 0o640, 0o604])("that others can read, with the fix: %i", (mode) => {
    const file = newFile();
    writeFileSync(file, "", { mode });
    expect(() => createSqliteStore({ file })).toThrow(/can be read by others: run chmod 600/);
  });

  test.each(["a folder", "a FIFO", "a device"])("%s, with nothing beside it", (what) => {
    const place = mkdtempSync(join(folder, "no-file-"));
    const path = join(place, "doorcode.sqlite");
    if (what === "a folder") mkdirSync(path, { mode: 0o700 });
    else if (what === "a FIFO") execFileSync("mkfifo", ["-m", "600", path]);
    else symlinkSync("/dev/null", path);
    expect(() => createSqliteStore({ file: path })).toThrow(/is no regular file: name another path/);
    expect(readdirSync(place)).toEqual(["doorcode.sqlite"]);
  });

  test.skipIf(process.platform !== "linux").each([
    ["NFS", 0x6969, true],
    ["CIFS", 0xff534d42, true],
    ["SMB 2", 0xfe534d42, true],
    ["Ceph", 0xc36400, true],
    ["Lustre", 0xbd00bd0, true],
    ["ext4", 0xef53, false],
    ["overlayfs", 0x794c7630, false],
    ["FUSE, such as virtiofs", 0x65735546, false],
  ])("on a file system that other machines share: %s, with the number %i: %s", (_name, type, isShared) => {
    onTestFinished(setFileSystem(() => type));
    if (isShared) expect(() => openStore()).toThrow(/is on a network file system.*on a local disk/);
    else openStore();
  });

  test.skipIf(process.platform !== "linux")("on such a file system, to which a link leads", () => {
    const file = newFile();
    writeFileSync(file, "", { mode: 0o600 });
    onTestFinished(setFileSystem((place) => (place === file ? 0x6969 : 0xef53)));
    expect(() => createSqliteStore({ file })).toThrow(/is on a network file system/);
  });

  test("in a folder that is not there", () => {
    expect(() => createSqliteStore({ file: join(folder, "missing/doorcode.sqlite") })).toThrow(
      /cannot be opened: check the path/,
    );
  });
});

test.each([{}, { file: "" }, { file: ":memory:" }, { file: "x", synchronous: "off" }, { file: "x", path: "y" }])(
  "L27: wrong options %j stop at start",
  (options) => {
    expect(() => createSqliteStore(options as never)).toThrow(TypeError);
  },
);

describe("while another process writes", () => {
  /** Holds the lock of a file until it is let go. */
  function hold(file: string): () => void {
    const database = new DatabaseSync(file);
    database.exec("BEGIN IMMEDIATE");
    onTestFinished(() => database.close());
    return () => database.exec("COMMIT");
  }

  test("calls run in their order: a later one does not overtake one that waits", async () => {
    const file = newFile();
    const clock = createManualClock();
    const store = openStore(file, { clock });
    const letGo = hold(file);
    const count = () => store.increment([{ key: "count", by: 1, ...minute }]);
    const first = count();
    await expect.poll(() => clock.pending).toBe(1);
    letGo();
    const second = count();
    expect(await settled(second)).toBe(false);
    const both = Promise.all([first, second]);
    expect(await advanceUntil({ clock }, both)).toMatchObject([[{ count: 1 }], [{ count: 2 }]]);
  });

  test("a read does not wait", async () => {
    const file = newFile();
    const store = openStore(file, { clock: createManualClock() });
    await store.put("key", "value", minute);
    hold(file);
    expect(await store.get(["key"])).toEqual(["value"]);
  });
});

async function settled(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol("open");
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(resolve, open))])) !== open;
}

describe("several processes on one file", () => {
  /** A process that counts a key up as often as it can, and prints each count that it was granted. */
  const program = `
    import { createSqliteStore } from "@doorcode/sqlite";
    const store = createSqliteStore({ file: process.argv[1] });
    for (let call = 0; call < 200; call++) {
      const [state] = await store.increment([{ key: "count", by: 1, limit: 500, ttlSeconds: 600 }]);
      if (state.granted) console.log(state.count);
    }
    await store.close();`;

  function start(file: string) {
    const args = ["--conditions=@doorcode/source", "--no-warnings", "--input-type=module", "--eval", program, file];
    const child = spawn(process.execPath, args, {
      cwd: join(import.meta.dirname, "../.."),
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
    return { child, counts: () => output.trim().split("\n").filter(Boolean).map(Number), ended: once(child, "close") };
  }

  test("a limit holds over all of them: each count is granted once", { timeout: 120_000 }, async () => {
    const file = newFile();
    const processes = Array.from({ length: 4 }, () => start(file));
    await Promise.all(processes.map(({ ended }) => ended));
    const counts = processes.flatMap(({ counts }) => counts()).sort((left, right) => left - right);
    expect(counts).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
  });
});
