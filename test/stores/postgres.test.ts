import { hash, randomUUID } from "node:crypto";
import { createManualClock } from "@doorcode/core/testing";
import { createPostgresInbox, createPostgresStore, migrate, migration } from "@doorcode/postgres";
import { Client, Pool } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startPostgresProxy } from "../support/postgres-proxy.ts";
import { findPostgres, startPglite } from "../support/postgres-server.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { testClockSkew, testConformance, testConnectionLoss } from "./conformance.ts";
import { compareWithMemory } from "./model.ts";
import { openStore, type PostgresSetup, setUpStore } from "./postgres-setup.ts";

const server = await findPostgres();
afterAll(async () => {
  await pglite.close();
  await server?.close();
});

const minute = { ttlSeconds: 60 } as const;
const lease = { leaseSeconds: 60, ttlSeconds: 60 } as const;

const pglite = await startPglite();
/** PGlite has the same SQL, so the contract is tested on it, and what is about connections on the server where there is one. */
const main = server ?? pglite;

describe("the store on PGlite", () => {
  let shared: PostgresSetup & { close(): Promise<void> };
  beforeAll(async () => {
    // It answers one connection after the other, in this process.
    shared = await openStore(pglite.url, { pool: { connectionTimeoutMillis: 60_000 } });
  });
  afterAll(() => shared.close());
  testConformance({ store: () => shared.store, advance: (milliseconds) => shared.advance(milliseconds) });
});

describe(`the store on ${main.name}`, () => {
  const { url } = main;
  let shared: PostgresSetup & { close(): Promise<void> };
  beforeAll(async () => {
    shared = await openStore(url);
  });
  afterAll(() => shared.close());

  const setup = { store: () => shared.store, advance: (milliseconds: number) => shared.advance(milliseconds) };
  if (server) testConformance(setup);
  // PGlite runs in this process, and has no clock of its own.
  if (server) testClockSkew(setup);
  testConnectionLoss(async () => {
    const proxy = await startTcpProxy(url);
    onTestFinished(() => proxy.close());
    const clock = createManualClock();
    const { store } = await setUpStore(url, { pool: { connectionString: proxy.url }, store: { clock } });
    return { store, proxies: [proxy], clock };
  });

  test("answers every call as the memory store does", { timeout: 180_000 }, async () => {
    const { store, advance, pool, table } = await setUpStore(url);
    await compareWithMemory({
      ...{ store, advance },
      clear: () => pool.query(`DELETE FROM ${table}`),
      removeExpired: () => store.removeExpired(),
    });
  });

  test("tells keys of 100,000 characters apart", async () => {
    const keys = ["1", "2"].map((ending) => "é".repeat(99_999) + ending);
    for (const key of keys) await shared.store.increment([{ key, by: key.endsWith("1") ? 1 : 2, ...minute }]);
    const counters = await shared.store.increment(keys.map((key) => ({ key, by: 0, ...minute })));
    expect(counters.map(({ count }) => count)).toEqual([1, 2]);
  });

  test("keeps an entry under the SHA-256 of its key, and a value as UTF-8", async () => {
    await shared.store.put("doorcode:session:Zm9v", "live ✓", minute);
    const { rows } = await shared.pool.query(
      `SELECT convert_from(value, 'UTF8') AS value FROM ${shared.table} WHERE key = sha256('doorcode:session:Zm9v')`,
    );
    expect(rows).toEqual([{ value: "live ✓" }]);
  });

  test("sends one statement per function, also for lists", async () => {
    const proxy = await startPostgresProxy(url);
    onTestFinished(() => proxy.close());
    const { store } = await setUpStore(url, { pool: { connectionString: proxy.url } });
    const list = Array.from({ length: 20 }, (_, index) => `list ${index}`);
    const calls: Record<string, () => Promise<unknown>> = {
      get: () => store.get(list),
      put: () => store.put("k", "v", minute),
      "put undefined": () => store.put("k", undefined, minute),
      increment: () => store.increment(list.map((key) => ({ key, by: 1, limit: 5, ...minute }))),
      "increment by less": () => store.increment(list.map((key) => ({ key, by: -1, ...minute }))),
      "increment by 0": () => store.increment(list.map((key) => ({ key, by: 0, ...minute }))),
      lease: () => store.lease("k", "a", lease),
      "lease refused": () => store.lease("k", "b", lease),
      "settle with hold": () => store.settle("k", "a", "v", { ...minute, hold: true }),
      settle: () => store.settle("k", "a", "v", minute),
      "settle undefined": () => store.settle("k", "a", undefined, minute),
      removeExpired: () => store.removeExpired(),
    };
    const counted: Record<string, number> = {};
    for (const [name, call] of Object.entries(calls)) {
      await call();
      counted[name] = proxy.countCommands();
    }
    expect(counted).toEqual(Object.fromEntries(Object.keys(calls).map((name) => [name, 1])));
  });

  test("returns numbers even if the app changed how its pg reads columns", async () => {
    const types = { getTypeParser: () => () => "spoilt" };
    const { store } = await setUpStore(url, { pool: { types } });
    await store.put("k", "v", minute);
    expect(await store.increment([{ key: "c", by: 2, ...minute }])).toEqual([
      { granted: true, count: 2, secondsLeft: 60 },
    ]);
    expect(await store.lease("k", "a", lease)).toEqual({ held: true, value: "v" });
    expect(await store.get(["k"])).toEqual(["v"]);
  });
});

describe.skipIf(!server)("a counter on a server with several connections", () => {
  test("counts a change that began before another one ended the counter, and came after it", async () => {
    const name = randomUUID();
    const { store, pool, table, client } = await setUpStore(server?.url ?? "", { pool: { application_name: name } });
    // Rows are changed in the order of their digests.
    const [first, ended] = ["a", "b"].toSorted((left, right) =>
      hash("sha256", left) < hash("sha256", right) ? -1 : 1,
    );
    const change = (key = "", by = 1) => ({ key, by, limit: 5, ...minute });
    await store.increment([change(first), change(ended)]);
    const locking = await client();
    await locking.query(`BEGIN; SELECT FROM ${table} WHERE key = sha256('${first}') FOR UPDATE`);
    const counting = store.increment([change(first), change(ended)]);
    const isWaiting = "SELECT FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'";
    await expect.poll(async () => (await pool.query(isWaiting, [name])).rowCount).toBe(1);
    await store.increment([change(ended, -1)]);
    await locking.query("COMMIT");
    await counting;
    expect(await store.increment([change(ended, 0)])).toEqual([{ granted: true, count: 1, secondsLeft: 60 }]);
  });
});

describe.skipIf(!server)("the migration on a server with several connections", () => {
  const url = server?.url ?? "";

  test.each(["repeatable read", "serializable"])(
    "runs in several processes at once when the default isolation level is %s",
    async (level) => {
      const options = `-c default_transaction_isolation=${level.replace(" ", "\\ ")}`;
      const name = randomUUID();
      const { pool, schema, client } = await setUpStore(url, { pool: { options, application_name: name } });
      const other = await client();
      await other.query(`DROP TABLE ${schema}.doorcode_entries`);
      await other.query("BEGIN; SELECT pg_advisory_xact_lock(hashtext('@doorcode/postgres'))");
      const migrating = Promise.all([migrate(pool, { schema }), migrate(pool, { schema })]);
      const isWaiting = "SELECT FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'";
      await expect.poll(async () => (await pool.query(isWaiting, [name])).rowCount).toBe(2);
      await other.query("COMMIT");
      await migrating;
      expect(await createPostgresStore({ pool, schema, cleaning: false }).get(["k"])).toEqual([undefined]);
    },
  );

  test("finds a table in a later schema of the search path, and creates no other", async () => {
    const { schema, table, client } = await setUpStore(url);
    const first = `${schema}_first`;
    const other = await client();
    await other.query(`CREATE SCHEMA ${first}; SET search_path TO ${first}, ${schema}`);
    onTestFinished(async () => void (await other.query(`DROP SCHEMA ${first} CASCADE`)));
    await other.query(migration());
    const { rows } = await other.query("SELECT 'doorcode_entries'::regclass = $1::regclass AS is_same", [table]);
    expect(rows).toEqual([{ is_same: true }]);
  });
});

describe(`the migration on ${main.name}`, () => {
  const { url } = main;

  test("may run again, and keeps the entries", async () => {
    const { pool, store, schema } = await setUpStore(url);
    await store.put("k", "v", minute);
    await migrate(pool, { schema });
    await pool.query(migration({ schema }));
    expect(await store.get(["k"])).toEqual(["v"]);
  });

  test("tells names of tables apart by case, and needs no escaping for one that SQL reserves", async () => {
    const { pool, schema } = await setUpStore(url);
    const names = ["entries", "Entries", "user", "a-name", "t".repeat(50)];
    for (const table of names) await migrate(pool, { schema, table });
    const stores = names.map((table) => createPostgresStore({ pool, schema, table, cleaning: false }));
    for (const [index, store] of stores.entries()) await store.put("k", String(index), minute);
    expect(await Promise.all(stores.map((store) => store.get(["k"])))).toEqual([["0"], ["1"], ["2"], ["3"], ["4"]]);
  });

  test.each([
    { what: "another program", option: "table", comment: "NULL" },
    { what: "an older version", option: "inboxTable", comment: "'Doorcode inbox, version 0'" },
  ])("stops at a table of $what, and changes nothing", async ({ option, comment }) => {
    const { pool, schema } = await setUpStore(url);
    await pool.query(`CREATE TABLE ${schema}.taken (key text); COMMENT ON TABLE ${schema}.taken IS ${comment}`);
    const options = { schema, table: "new_entries", inboxTable: "new_inbox", [option]: "taken" };
    const refused = {
      code: "42P07",
      message: expect.stringMatching(/taken.*Doorcode (store|inbox), version \d.*another name/),
    };
    await expect(migrate(pool, options)).rejects.toMatchObject(refused);
    await expect(pool.query(migration(options))).rejects.toMatchObject(refused);
    const { rows } = await pool.query(
      `SELECT relname, obj_description(oid, 'pg_class') AS comment FROM pg_class
       WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND relname NOT LIKE 'doorcode%'`,
      [schema],
    );
    expect(rows).toEqual([{ relname: "taken", comment: comment === "NULL" ? null : "Doorcode inbox, version 0" }]);
  });

  test("is named in the error of a store whose table is missing or older", async () => {
    const { pool, schema } = await setUpStore(url);
    const missing = createPostgresStore({ pool, schema, table: "missing", cleaning: false });
    await expect(missing.get(["k"])).rejects.toMatchObject({ code: "store_unavailable" });
    await expect(missing.get(["k"])).rejects.toThrow("migrate(pool)");
    await pool.query(`ALTER TABLE ${schema}.doorcode_entries RENAME COLUMN key TO older_key`);
    const older = createPostgresStore({ pool, schema, cleaning: false });
    const { lease: take, get, put, increment } = older;
    for (const call of [
      () => get(["k"]),
      () => put("k", "v", minute),
      () => increment([{ key: "k", by: 1, ...minute }]),
      () => take("k", "a", lease),
    ]) {
      await expect(call()).rejects.toThrow("migrate(pool)");
    }
    await migrate(pool, { schema, table: "missing" });
    expect(await missing.get(["k"])).toEqual([undefined]);
  });
});

test("wrong options throw with the name of the option", async () => {
  const pool = new Pool();
  const wrong: readonly [unknown, string][] = [
    [{}, "pool"],
    [{ pool: {} }, "pool"],
    [{ pool, timeoutSeconds: 0 }, "timeoutSeconds"],
    [{ pool, table: "" }, "table"],
    [{ pool, table: "t".repeat(51) }, "table"],
    [{ pool, table: "it's" }, "table"],
    [{ pool, schema: "a\0b" }, "schema"],
  ];
  for (const [options, named] of wrong) {
    expect(() => Reflect.apply(createPostgresStore, undefined, [options])).toThrow(
      new RegExp(`^createPostgresStore: ${named}(\\.\\w+)?: expected `),
    );
  }
  const wrongName = { inboxTable: "" };
  expect(() => migration(wrongName)).toThrow("migration: inboxTable: expected a name");
  await expect(migrate(pool, wrongName)).rejects.toThrow("migrate: inboxTable: expected a name");
  const store = createPostgresStore({ pool, cleaning: false });
  for (const batch of [0, 0.5]) await expect(store.removeExpired({ batch })).rejects.toThrow("batch");
});

test("migrate refuses anything but a pool, and says what to pass", async () => {
  await expect(Reflect.apply(migrate, undefined, [])).rejects.toThrow(/new Pool/);
  await expect(Reflect.apply(migrate, undefined, [new Client()])).rejects.toThrow(/new Pool/);
});

test.skipIf(!server)("keeps every text in a database whose encoding lacks most characters", async () => {
  const name = `doorcode_test_${randomUUID().replaceAll("-", "")}`;
  const admin = new Pool({ connectionString: server?.url, max: 1 });
  await admin.query(`CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`);
  const place = new URL(server?.url ?? "");
  place.pathname = `/${name}`;
  const pool = new Pool({ connectionString: place.href, max: 1 });
  onTestFinished(async () => {
    await pool.end();
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  });
  await migrate(pool);
  const store = createPostgresStore({ pool, cleaning: false });
  await store.put("ключ", "日本語 🔑", minute);
  expect(await store.get(["ключ"])).toEqual(["日本語 🔑"]);
  const inbox = createPostgresInbox({ pool, cleaning: false });
  await inbox.add({ key: "a".repeat(64), body: "日本語 🔑" });
  const worker = await inbox.work(
    async ({ body }) => ({ action: "dead_letter", error: { name: "Error", code: undefined, message: body } }),
    { concurrency: 1, onError: () => undefined },
  );
  onTestFinished(() => worker.stop({ limitSeconds: 5 }));
  await expect.poll(() => inbox.deadLetters(1)).toMatchObject([{ error: { message: "日本語 🔑" } }]);
});
