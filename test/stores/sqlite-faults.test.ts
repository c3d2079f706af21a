import { randomUUID } from "node:crypto";
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createManualClock } from "@doorcode/core/testing";
import { createSqliteStore } from "@doorcode/sqlite";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { advanceUntil } from "../support/advance-until.ts";
import { canHaveDisk, canTrace, type SqliteProcess, startSqliteProcess, trace, withDisk } from "./sqlite-process.ts";
import type { SqliteOrder } from "./sqlite-program.ts";

const folder = mkdtempSync(join(tmpdir(), "doorcode-sqlite-faults-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const newFile = () => join(folder, `${randomUUID()}.sqlite`);

const minute = { ttlSeconds: 60 };
const lease = { leaseSeconds: 60, ttlSeconds: 60 };
const once = [{ key: "counter", by: 1, ...minute }];
const unavailable = { error: { code: "store_unavailable" } };
const get: SqliteOrder = { call: "get", arguments: [["key"]] };
const increment: SqliteOrder = { call: "increment", arguments: [once] };
const writes: readonly SqliteOrder[] = [
  increment,
  { call: "put", arguments: ["key", "other", minute] },
  { call: "put", arguments: ["new", "value", minute] },
  { call: "lease", arguments: ["key", "token", lease] },
  { call: "settle", arguments: ["leased", "token", "other", minute] },
];

function start(...words: Parameters<typeof startSqliteProcess>): SqliteProcess {
  const started = startSqliteProcess(...words);
  onTestFinished(() => started.kill());
  return started;
}

/** Writes a value, a count and a lease while the disk is well. */
async function prepare({ ask }: SqliteProcess, file: string): Promise<void> {
  expect(await ask({ open: { file } })).toEqual({});
  expect(await ask({ call: "put", arguments: ["key", "value", minute] })).toEqual({});
  expect(await ask({ call: "lease", arguments: ["leased", "token", lease] })).toMatchObject({ value: { held: true } });
  expect(await ask(increment)).toMatchObject({ value: [{ count: 1 }] });
}

/** Expects that writes are refused and that reads go on. */
async function expectOnlyReads({ ask }: SqliteProcess): Promise<void> {
  for (const write of writes) expect(await ask(write)).toMatchObject(unavailable);
  expect(await ask(get)).toEqual({ value: ["value"] });
}

/** Expects that the store works, without anything of the writes that were refused. */
async function expectUntouched({ ask }: SqliteProcess): Promise<void> {
  expect(await ask({ call: "get", arguments: [["key", "new", "leased"]] })).toEqual({ value: ["value", null, null] });
  expect(await ask(increment)).toMatchObject({ value: [{ count: 2 }] });
  expect(await ask({ call: "settle", arguments: ["leased", "token", "done", minute] })).toEqual({ value: true });
}

test.skipIf(!canHaveDisk)(
  "L24: a full disk refuses writes and answers reads, and is written again once it has room",
  async () => {
    const disk = join(folder, "disk");
    mkdirSync(disk);
    const app = start(withDisk(disk, 1024 * 1024));
    await prepare(app, join(disk, "doorcode.sqlite"));
    await app.ask({ fill: join(disk, "ballast") });
    await expectOnlyReads(app);
    await app.ask({ remove: join(disk, "ballast") });
    await expectUntouched(app);
  },
);

test.skipIf(!canTrace).each(["EIO", "EROFS"])(
  "L24: a disk that answers %s refuses writes and answers reads, and is written again afterwards",
  async (error) => {
    const app = start();
    await prepare(app, newFile());
    const end = await trace(app, "--trace=pwrite64", `--inject=pwrite64:error=${error}`);
    await expectOnlyReads(app);
    await end();
    await expectUntouched(app);
  },
);

test.skipIf(!canTrace)("L24: a disk that cannot be read refuses reads, and answers them again afterwards", async () => {
  const file = newFile();
  await prepare(start(), file);
  const app = start();
  await app.ask({ open: { file } });
  const end = await trace(app, "--trace=pread64", "--inject=pread64:error=EIO");
  expect(await app.ask(get)).toMatchObject(unavailable);
  await end();
  await expectUntouched(app);
});

test.skipIf(!canTrace).each([
  ["full", 10],
  ["normal", 0],
] as const)('with "%s", ten writes wait %d times for the disk', async (synchronous, syncs) => {
  const app = start();
  await app.ask({ open: { file: newFile(), synchronous } });
  const log = newFile();
  const end = await trace(app, "--trace=fsync,fdatasync", "-o", log);
  for (let count = 1; count <= 10; count++) await app.ask(increment);
  await end();
  expect(readFileSync(log, "utf8").match(/sync\(/g) ?? []).toHaveLength(syncs);
});

describe("a file that is read-only", () => {
  const isRoot = process.getuid?.() === 0;
  /** Root may write everywhere, so the app runs as another user: nobody. */
  const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};

  test.each<[string, (folder: string, file: string) => void]>([
    ["by its own rights", (_, file) => chmodSync(file, 0o400)],
    ["by the rights of its folder", (folder) => chmodSync(folder, 0o500)],
  ])("%s, is refused at start and not changed", async (_what, protect) => {
    const own = join(folder, randomUUID());
    const file = join(own, "doorcode.sqlite");
    mkdirSync(own);
    await createSqliteStore({ file }).close();
    if (isRoot) for (const path of [folder, own, file]) chownSync(path, 65_534, 65_534);
    protect(own, file);
    const before = readFileSync(file);
    const { ask } = start([], user);
    expect(await ask({ open: { file } })).toMatchObject({
      error: { message: `createSqliteStore: ${file} cannot be opened: check the path and its rights.` },
    });
    expect(readFileSync(file).equals(before)).toBe(true);
    chmodSync(own, 0o700);
  });
});

describe("a file that is removed or replaced while it is open", () => {
  test.each<[string, (file: string) => void]>([
    ["removed", (file) => rmSync(file)],
    ["moved", (file) => renameSync(file, `${file}.old`)],
    [
      "replaced by a copy",
      (file) => {
        copyFileSync(file, `${file}.copy`);
        renameSync(`${file}.copy`, file);
      },
    ],
  ])("%s: all calls reject and say what to do, so that no two processes have two files", async (_what, change) => {
    const file = newFile();
    const store = createSqliteStore({ file });
    onTestFinished(() => store.close());
    await store.put("key", "value", minute);
    change(file);
    const refused = { code: "store_unavailable", message: expect.stringContaining("replaced: restart the app") };
    await expect(store.get(["key"])).rejects.toMatchObject(refused);
    await expect(store.increment(once)).rejects.toMatchObject(refused);
  });

  test("put back: the store goes on", async () => {
    const file = newFile();
    const store = createSqliteStore({ file });
    onTestFinished(() => store.close());
    renameSync(file, `${file}.old`);
    await expect(store.put("key", "value", minute)).rejects.toMatchObject({ code: "store_unavailable" });
    renameSync(`${file}.old`, file);
    await store.put("key", "value", minute);
    expect(await store.get(["key"])).toEqual(["value"]);
  });
});

test("a process that stops while it writes makes calls reject after the time-out; they work when it has ended", async () => {
  const file = newFile();
  const clock = createManualClock();
  const store = createSqliteStore({ file, clock, timeoutSeconds: 1 });
  onTestFinished(() => store.close());
  const other = start();
  await other.ask({ hold: file });
  other.child.kill("SIGSTOP");
  const calls = Promise.allSettled([store.put("key", "value", minute), store.increment(once)]);
  const outcomes = await advanceUntil({ clock }, calls);
  expect(outcomes).toMatchObject(Array(2).fill({ reason: { code: "store_unavailable" } }));
  expect(clock.now()).toBeLessThan(createManualClock().now() + 1100);
  await other.kill();
  expect(await store.get(["key"])).toEqual([undefined]);
  expect(await store.increment(once)).toMatchObject([{ count: 1 }]);
});
