import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSqliteStore, type SqliteStore } from "@doorcode/sqlite";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { createSeededRandom } from "../chaos/seeded-random.ts";
import { type SqliteProcess, startSqliteProcess } from "./sqlite-process.ts";

const folder = mkdtempSync(join(tmpdir(), "doorcode-sqlite-power-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const random = createSeededRandom(20_261);

/** A call changes both of them. */
const halves = ["a", "b"] as const;
const pairOf = (name: string, by: number) => halves.map((half) => ({ key: `${name} ${half}`, by, ttlSeconds: 600 }));

/** Reads a pair of counters, and expects that no call was written by half. */
async function readPair(store: SqliteStore, name: string): Promise<number> {
  const [a, b] = await store.increment(pairOf(name, 0));
  expect(a?.count).toBe(b?.count);
  return a?.count ?? Number.NaN;
}

function isWhole(file: string): boolean {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare("PRAGMA integrity_check").get();
  database.close();
  return row?.integrity_check === "ok";
}

test("of two processes that write all the time, one is killed four times: the file is whole, and every answered call is in it", {
  timeout: 180_000,
}, async () => {
  const file = join(folder, "killed.sqlite");
  const store = createSqliteStore({ file });
  onTestFinished(() => store.close());
  /** Starts a process that counts its own pair up, and waits for its first answers. */
  async function startWriter(name: string): Promise<SqliteProcess> {
    const writer = startSqliteProcess();
    onTestFinished(() => writer.kill());
    await writer.ask({ open: { file } });
    await writer.ask({ countUp: name });
    return writer;
  }
  const lastOf = ({ answers }: SqliteProcess) => {
    const last = answers.at(-1);
    return last && "value" in last ? Number(last.value) : Number.NaN;
  };

  const [first, second] = await Promise.all([startWriter("0"), startWriter("1")]);
  const writers = [first, second];
  for (let round = 0; round < 4; round++) {
    const index = round % 2;
    const writer = writers[index] as SqliteProcess;
    const answers = writer.answers.length + random.integer(40, "answers", round);
    while (writer.answers.length <= answers) await once(writer.child, "message");
    await writer.kill();
    const counted = await readPair(store, `${index}`);
    // The call in its middle may have been written without an answer.
    expect([0, 1]).toContain(counted - lastOf(writer));
    expect(isWhole(file)).toBe(true);
    writers[index] = await startWriter(`${index}`);
  }
  expect(await readPair(store, "0")).toBeGreaterThan(10);
});

/** The sizes of SQLite's default page, and of what a log has before its first page and before each. */
const [pageBytes, logHeaderBytes, frameHeaderBytes] = [4096, 32, 24];

interface Written {
  readonly file: Buffer;
  readonly log: Buffer;
  /** The size of the log after each call. */
  readonly sizes: readonly number[];
}

/** Answers what is on the disk after thirty calls, either with all of them in the log or with all of them in the file. */
async function writeThirty(where: "log" | "file"): Promise<Written> {
  const path = join(folder, `${randomUUID()}.sqlite`);
  const store = createSqliteStore({ file: path });
  const sizes: number[] = [];
  for (let call = 1; call <= 30; call++) {
    await store.increment(pairOf("pair", 1));
    sizes.push(statSync(`${path}-wal`).size);
    await store.put(`key ${call}`, textOf(call), { ttlSeconds: 600 });
  }
  const log = readFileSync(`${path}-wal`);
  if (where === "file") await store.close();
  const file = readFileSync(path);
  await store.close();
  return { file, log, sizes };
}

/** Up to 3 KB, so that it fits into a page. SQLite has no checksum for the rest of a longer one. */
function textOf(call: number): string {
  return `value ${call} `.repeat(call * 10);
}

/** Answers places of a file of pages: the borders of a third of its pages, and a byte inside each of them. */
function placesIn(bytes: number, first: number, step: number): readonly number[] {
  const borders = Array.from({ length: Math.ceil((bytes - first) / step / 3) }, (_, page) => first + 3 * page * step);
  return borders.flatMap((border) => [border, border + 1 + random.integer(step - 1, border)]);
}

function damage(bytes: Buffer, from: number, to: number): Buffer {
  const noise = Buffer.from(Array.from({ length: to - from }, (_, index) => random.integer(256, from, index)));
  return Buffer.concat([bytes.subarray(0, from), noise, bytes.subarray(to)]);
}

test.each<[string, (log: Buffer, place: number) => Buffer]>([
  ["cut", (log, place) => log.subarray(0, place)],
  ["damaged", (log, place) => damage(log, place, Math.min(place + 100, log.length))],
])(
  "a log that a power cut left %s at any place: the file has the calls before it, none of them by half",
  {
    timeout: 60_000,
  },
  async (_what, change) => {
    const { file, log, sizes } = await writeThirty("log");
    const path = join(folder, "cut.sqlite");
    const step = frameHeaderBytes + pageBytes;
    for (const place of [0, ...placesIn(log.length, logHeaderBytes, step)]) {
      rmSync(`${path}-shm`, { force: true });
      writeFileSync(path, file, { mode: 0o600 });
      writeFileSync(`${path}-wal`, change(log, place));
      const store = createSqliteStore({ file: path });
      expect(await readPair(store, "pair")).toBe(sizes.filter((size) => size <= place).length);
      await store.put("after", "value", { ttlSeconds: 600 });
      await store.close();
      expect(isWhole(path)).toBe(true);
    }
  },
);

test("a file that has lost a page or more is refused as damaged, and not changed", async () => {
  const { file } = await writeThirty("file");
  const path = join(folder, "short.sqlite");
  const places = placesIn(file.length - pageBytes, 0, pageBytes).filter((place) => place > 0);
  expect(places.length).toBeGreaterThan(10);
  for (const place of places) {
    writeFileSync(path, file.subarray(0, place), { mode: 0o600 });
    expect(() => createSqliteStore({ file: path })).toThrow(/is damaged or no SQLite file: restore it from a copy/);
    expect(readFileSync(path).equals(file.subarray(0, place))).toBe(true);
  }
});

test("a file with a damaged page gives no wrong answer: it is refused at start, or calls reject", async () => {
  const { file } = await writeThirty("file");
  const path = join(folder, "page.sqlite");
  let refused = 0;
  for (let page = 0; page * pageBytes < file.length; page++) {
    const changed = damage(file, page * pageBytes, (page + 1) * pageBytes);
    writeFileSync(path, changed, { mode: 0o600 });
    if (page === 0) expect(() => createSqliteStore({ file: path })).toThrow(/is damaged or no SQLite file/);
    else {
      const store = createSqliteStore({ file: path });
      for (let call = 1; call <= 30; call++) {
        const found = await store.get([`key ${call}`]).catch(({ code }) => code);
        if (found === "store_unavailable") refused++;
        else expect(found).toEqual([textOf(call)]);
      }
      await store.close();
    }
    expect(readFileSync(path).equals(changed)).toBe(true);
  }
  expect(refused).toBeGreaterThan(60);
});
