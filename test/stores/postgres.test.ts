import { createHash, randomUUID } from "node:crypto";
import { createManualClock } from "@doorcode/core/testing";
import { createPostgresStore, migrate, migration } from "@doorcode/postgres";
import { Client, Pool } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startPostgresProxy } from "../support/postgres-proxy.ts";
import { findPostgres, startPglite } from "../support/postgres-server.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { testClockSkew, testConformance, testConnectionLoss } from "./conformance.ts";
import { openStore, type PostgresSetup, setUpStore } from "./postgres-setup.ts";

const server = await findPostgres();
const pglite = await startPglite();
afterAll(async () => {
  await pglite.close();
  await server?.close();
});

const minute = { ttlSeconds: 60 } as const;
const lease = { leaseSeconds: 60, ttlSeconds: 60 } as const;

describe.each([pglite, ...(server ? [server] : [])])("the store on $name", ({ url }) => {
  let shared: PostgresSetup & { close(): Promise<void> };
  beforeAll(async () => {
    shared = await openStore(url);
  });
  afterAll(() => shared.close());

  const setup = { store: () => shared.store, advance: (milliseconds: number) => shared.advance(milliseconds) };
  testConformance(setup);
  // PGlite runs in this process, and has no clock of its own.
  if (url !== pglite.url) testClockSkew(setup);
  testConnectionLoss(async () => {
    const proxy = await startTcpProxy(url);
    onTestFinished(() => proxy.close());
    const clock = createManualClock();
    const { store } = await setUpStore(url, { pool: { connectionString: proxy.url }, store: { clock } });
    return { store, proxies: [proxy], clock };
  });

  test("keeps texts that look like its own encoding", async () => {
    const { store } = shared;
    const marked = ["\u0001", '\u0001"\\u0000"', "\u0001sha256 00", '"\\u0000"', "\0"];
    await Promise.all(marked.map((text) => store.put(text, text, minute)));
    expect(await store.get(marked)).toEqual(marked);
  });

  test.each([300, 1024, 1025, 2704, 100_000])("tells keys of %i characters apart", async (length) => {
    const keys = ["1", "2"].map((ending) => "é".repeat(length - 1) + ending);
    for (const key of keys) await shared.store.increment([{ key, by: key.endsWith("1") ? 1 : 2, ...minute }]);
    const counters = await shared.store.increment(keys.map((key) => ({ key, by: 0, ...minute })));
    expect(counters.map(({ count }) => count)).toEqual([1, 2]);
  });

  test("keeps an entry under the first half of its key's SHA-256", async () => {
    await shared.store.put("doorcode:session:Zm9v", "live", minute);
    // printf doorcode:session:Zm9v | sha256sum
    const key = "9577a06d5f0dd4e12967a49173f05539";
    const { rows } = await shared.pool.query(`SELECT value FROM ${shared.table} WHERE key_digest = $1`, [key]);
    expect(rows).toEqual([{ value: "live" }]);
  });

  test("changes, gives back, reads and refuses counters in one list", async () => {
    const keys = ["z", "a", "m", "new", "never"].map((key) => `mixed ${key}`);
    const [z = "", a = "", m = "", fresh = "", never = ""] = keys;
    await shared.store.increment([z, a, m].map((key) => ({ key, by: 3, ...minute })));
    expect(
      await shared.store.increment([
        { key: z, by: -2, ...minute },
        { key: fresh, by: 9, ...minute },
        { key: a, by: 0, ...minute },
        { key: never, by: -1, ...minute },
        { key: m, by: 1, limit: 3, ...minute },
      ]),
    ).toEqual([
      { granted: true, count: 1, secondsLeft: 60 },
      { granted: true, count: 9, secondsLeft: 60 },
      { granted: true, count: 3, secondsLeft: 60 },
      { granted: true, count: 0, secondsLeft: 0 },
      { granted: false, count: 3, secondsLeft: 60 },
    ]);
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

  test("carries out in one statement what is asked of a function at once, and counts exactly what meets in one counter", async () => {
    const proxy = await startPostgresProxy(url);
    onTestFinished(() => proxy.close());
    const { store } = await setUpStore(url, { pool: { connectionString: proxy.url } });
    const names = Array.from({ length: 30 }, (_, index) => `key ${index}`);
    const counted = await Promise.all(
      names.map((key, index) =>
        store.increment([
          { key, by: index + 1, ...minute },
          { key: "absent", by: 0, ...minute },
        ]),
      ),
    );
    expect(counted.map((states) => states.map(({ count }) => count))).toEqual(names.map((_, index) => [index + 1, 0]));
    await Promise.all(names.map((key) => store.put(key, `value of ${key}`, minute)));
    expect(await Promise.all(names.map((key) => store.get([key, "none"])))).toEqual(
      names.map((key) => [`value of ${key}`, undefined]),
    );
    // Reads of one counter by several calls are no reason for several statements.
    expect(proxy.countCommands()).toBe(3);
    const hot = { key: "hot", by: 1, limit: 8, ...minute };
    const states = await Promise.all(
      names.map((key) => store.increment([{ key: `of ${key}`, by: 1, ...minute }, hot])),
    );
    expect(states.map(([, state]) => [state?.granted, state?.count])).toEqual(
      names.map((_, index) => (index < 8 ? [true, index + 1] : [false, 8])),
    );
  });

  test("writes values that are put at once in one statement, each with its lifetime, and values of one key in several", async () => {
    const proxy = await startPostgresProxy(url);
    onTestFinished(() => proxy.close());
    const { store, advance } = await setUpStore(url, { pool: { connectionString: proxy.url } });
    const [keys, long] = [["c", "a", "b"], { ttlSeconds: 600 }];
    await Promise.all(keys.map((key) => store.put(key, `first ${key}`, minute)));
    expect(proxy.countCommands()).toBe(1);
    await Promise.all([store.put("a", "one", minute), store.put("a", "other", minute), store.put("b", "long", long)]);
    expect(proxy.countCommands()).toBe(2);
    const puts = [
      store.put("a", "kept", minute),
      store.put("b", "wrong \ud800", minute),
      store.put("c", undefined, minute),
    ];
    const [, wrong] = await Promise.allSettled(puts);
    expect(wrong?.status).toBe("rejected");
    expect(await store.get(keys)).toEqual([undefined, "kept", "long"]);
    await advance(60_000);
    expect(await store.get(keys)).toEqual([undefined, undefined, "long"]);
  });

  test("takes leases at once in one statement, and settles them in another, each with its own answer", async () => {
    const proxy = await startPostgresProxy(url);
    onTestFinished(() => proxy.close());
    const { store, advance } = await setUpStore(url, { pool: { connectionString: proxy.url } });
    await store.lease("taken", "other", lease);
    await store.put("valued", "value", minute);
    proxy.countCommands();
    const keys = ["new", "taken", "valued"];
    const leases = await Promise.all(keys.map((key) => store.lease(key, `of ${key}`, lease)));
    expect(leases).toEqual([
      { held: true, value: undefined },
      { held: false, value: undefined },
      { held: true, value: "value" },
    ]);
    expect(proxy.countCommands()).toBe(1);
    const held = ["new", "valued"];
    const settled = held.map((key) =>
      store.settle(key, `of ${key}`, `\0 ${key}`, { ttlSeconds: 30, hold: key === "new" }),
    );
    expect(await Promise.all(settled)).toEqual([true, true]);
    expect(proxy.countCommands()).toBe(1);
    expect(await store.lease("new", "next", lease)).toEqual({ held: false, value: "\0 new" });
    expect(await store.lease("valued", "next", lease)).toEqual({ held: true, value: "\0 valued" });
    const late = keys.map((key) => store.settle(key, `of ${key}`, "late", minute));
    expect(await Promise.all(late)).toEqual([true, false, false]);
    await advance(60_000);
    expect(await store.get(keys)).toEqual([undefined, undefined, undefined]);
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

/** Makes the store's table as version 1 of it was. */
async function createVersion1(pool: Pick<Pool, "query">, schema: string): Promise<void> {
  await pool.query(`DROP TABLE ${schema}.doorcode_entries;
    CREATE TABLE ${schema}.doorcode_entries (
      count bigint NOT NULL DEFAULT 0,
      expires_at timestamptz NOT NULL,
      expires_minute timestamptz GENERATED ALWAYS AS
        (date_bin('1 minute', expires_at, timestamptz '2000-01-01 00:00:00+00')) STORED,
      leased_until timestamptz,
      granted boolean,
      key text COLLATE "C" PRIMARY KEY,
      holder text,
      value text
    ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
    CREATE INDEX doorcode_entries_expiry ON ${schema}.doorcode_entries (expires_minute);
    COMMENT ON TABLE ${schema}.doorcode_entries IS 'Doorcode store, version 1'`);
}

/** Returns all that the definition of the store's table says. */
async function describeTable(pool: Pool, schema: string): Promise<unknown> {
  const { rows } = await pool.query(
    `SELECT reloptions, obj_description(oid, 'pg_class') AS comment,
       ARRAY(SELECT format('%s %s %s %s', attname, format_type(atttypid, atttypmod), attnotnull, attcollation::regcollation)
         FROM pg_attribute WHERE attrelid = pg_class.oid AND attnum > 0 ORDER BY attnum) AS columns,
       ARRAY(SELECT indexdef FROM pg_indexes WHERE schemaname = $1 AND tablename = relname ORDER BY indexname) AS indexes
     FROM pg_class WHERE oid = ($1 || '.doorcode_entries')::regclass`,
    [schema],
  );
  return { ...rows[0], reloptions: rows[0]?.reloptions.toSorted() };
}

describe.skipIf(!server)("the migration on a server with several connections", () => {
  const url = server?.url ?? "";

  test("may take longer than a statement of its pool", async () => {
    const { pool, schema, table, client } = await setUpStore(url, { pool: { options: "-c statement_timeout=50ms" } });
    const other = await client();
    await createVersion1(other, schema);
    await other.query(`BEGIN; LOCK TABLE ${table} IN ACCESS SHARE MODE`);
    const holding = other.query("SELECT pg_sleep(0.2); COMMIT");
    await migrate(pool, { schema });
    await holding;
    expect(await createPostgresStore({ pool, schema }).get(["k"])).toEqual([undefined]);
  });

  test.each(["repeatable read", "serializable"])(
    "runs in several processes at once when the default isolation level is %s",
    async (level) => {
      const options = `-c default_transaction_isolation=${level.replace(" ", "\\ ")}`;
      const name = randomUUID();
      const { pool, schema, table, client } = await setUpStore(url, { pool: { options, application_name: name } });
      const other = await client();
      await createVersion1(other, schema);
      await other.query(`BEGIN; LOCK TABLE ${table} IN ACCESS SHARE MODE`);
      const migrating = Promise.all([migrate(pool, { schema }), migrate(pool, { schema })]);
      const isWaiting = "SELECT FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'";
      await expect.poll(async () => (await pool.query(isWaiting, [name])).rowCount).toBe(2);
      await other.query("COMMIT");
      await migrating;
      expect(await createPostgresStore({ pool, schema }).get(["k"])).toEqual([undefined]);
    },
  );

  test("waits for another process longer than its pool waits for a lock", async () => {
    const { pool, schema, client } = await setUpStore(url, { pool: { options: "-c lock_timeout=20ms" } });
    const other = await client();
    await createVersion1(other, schema);
    await other.query("BEGIN; SELECT pg_advisory_xact_lock(hashtext('@doorcode/postgres'))");
    const migrating = migrate(pool, { schema });
    await other.query("SELECT pg_sleep(0.1); COMMIT");
    await migrating;
    expect(await createPostgresStore({ pool, schema }).get(["k"])).toEqual([undefined]);
  });

  test("waits for the table as long as its pool waits for a lock", async () => {
    const { pool, schema, table, client } = await setUpStore(url, { pool: { options: "-c lock_timeout=20ms" } });
    const other = await client();
    await createVersion1(other, schema);
    await other.query(`BEGIN; LOCK TABLE ${table} IN ACCESS SHARE MODE`);
    await expect(migrate(pool, { schema })).rejects.toMatchObject({ code: "55P03" });
    await other.query("COMMIT");
    await migrate(pool, { schema });
  });

  test("finds a table in a later schema of the search path, and creates no other", async () => {
    const { schema, table, client } = await setUpStore(url);
    const first = `${schema}_first`;
    const other = await client();
    await createVersion1(other, schema);
    await other.query(`CREATE SCHEMA ${first}; SET search_path TO ${first}, ${schema}`);
    onTestFinished(async () => void (await other.query(`DROP SCHEMA ${first} CASCADE`)));
    await other.query(migration());
    const { rows } = await other.query("SELECT 'doorcode_entries'::regclass = $1::regclass AS is_same", [table]);
    expect(rows).toEqual([{ is_same: true }]);
  });

  test("needs no right to create for tables that exist", async () => {
    const { pool, schema, table, client } = await setUpStore(url);
    const other = await client();
    await createVersion1(other, schema);
    const owner = `${schema}_owner`;
    await other.query(
      `CREATE ROLE ${owner}; GRANT USAGE ON SCHEMA ${schema} TO ${owner}; ALTER TABLE ${table} OWNER TO ${owner}`,
    );
    onTestFinished(async () => {
      await other.query(
        `RESET ROLE; ALTER TABLE ${table} OWNER TO CURRENT_USER; DROP OWNED BY ${owner}; DROP ROLE ${owner}`,
      );
    });
    await other.query(`SET ROLE ${owner}`);
    await other.query(migration({ schema }));
    expect(await createPostgresStore({ pool, schema }).get(["k"])).toEqual([undefined]);
  });
});

describe.each([pglite, ...(server ? [server] : [])])("the migration on $name", ({ url }) => {
  test("may run again, and keeps the entries", async () => {
    const { pool, store, schema } = await setUpStore(url);
    await store.put("k", "v", minute);
    await migrate(pool, { schema });
    await pool.query(migration({ schema }));
    expect(await store.get(["k"])).toEqual(["v"]);
  });

  test("creates each table once when twenty processes start at once", async () => {
    const { pool, schema } = await setUpStore(url);
    await pool.query(`DROP TABLE ${schema}.doorcode_entries, ${schema}.doorcode_inbox`);
    await Promise.all(Array.from({ length: 20 }, () => migrate(pool, { schema })));
    const store = createPostgresStore({ pool, schema });
    await store.put("k", "v", minute);
    expect(await store.get(["k"])).toEqual(["v"]);
    expect((await pool.query(`SELECT FROM ${schema}.doorcode_inbox`)).rowCount).toBe(0);
  });

  test("takes any name for schema and table, and keeps tables apart", async () => {
    const { pool, schema } = await setUpStore(url);
    const names = ['My "own" table; --', "entries", "Entries", "ü".repeat(25), "a $doorcode$ quotation"];
    for (const table of names) await migrate(pool, { schema, table });
    const stores = names.map((table) => createPostgresStore({ pool, schema, table }));
    for (const [index, store] of stores.entries()) await store.put("k", String(index), minute);
    expect(await Promise.all(stores.map((store) => store.get(["k"])))).toEqual([["0"], ["1"], ["2"], ["3"], ["4"]]);
  });

  test("creates the table of the inbox beside an existing table of the store", async () => {
    const { pool, store, schema } = await setUpStore(url);
    await store.put("k", "v", minute);
    await pool.query(`DROP TABLE ${schema}.doorcode_inbox`);
    await migrate(pool, { schema });
    expect((await pool.query(`SELECT FROM ${schema}.doorcode_inbox`)).rowCount).toBe(0);
    expect(await store.get(["k"])).toEqual(["v"]);
  });

  test("keeps the entries of a table of version 1", async () => {
    const { pool, schema, table } = await setUpStore(url);
    const long = "é".repeat(600);
    const keys = ["plain", "\0 escaped", long];
    await createVersion1(pool, schema);
    const written = [
      "plain",
      '\u0001"\\u0000 escaped"',
      `\u0001sha256 ${createHash("sha256").update(long).digest("hex")}`,
    ];
    await pool.query(
      `INSERT INTO ${table} (key, value, holder, leased_until, expires_at)
       SELECT key, 'of ' || place, 'a', now() + interval '1 hour', now() + interval '1 hour'
       FROM unnest($1::text[]) WITH ORDINALITY AS old (key, place)`,
      [written],
    );
    await pool.query(
      `INSERT INTO ${table} (key, count, granted, expires_at) VALUES ('c', 7, true, now() + interval '1 hour')`,
    );
    await migrate(pool, { schema });
    const store = createPostgresStore({ pool, schema });

    expect(await store.get(keys)).toEqual(["of 1", "of 2", "of 3"]);
    expect(await store.lease("plain", "b", lease)).toEqual({ held: false, value: "of 1" });
    expect(await store.settle(long, "a", "settled", minute)).toBe(true);
    expect(await store.increment([{ key: "c", by: 1, ...minute }])).toMatchObject([{ granted: true, count: 8 }]);
  });

  test("leaves a table of version 1 as a new one would be", async () => {
    const { pool, schema } = await setUpStore(url);
    const created = await describeTable(pool, schema);
    await createVersion1(pool, schema);
    expect(await describeTable(pool, schema)).not.toEqual(created);
    await pool.query(migration({ schema }));
    expect(await describeTable(pool, schema)).toEqual(created);
  });

  test.each([
    { what: "another program", option: "table", comment: "NULL" },
    { what: "an older version", option: "inboxTable", comment: "'Doorcode inbox, version 0'" },
  ])("stops at a table of $what, and changes nothing", async ({ option, comment }) => {
    const { pool, schema } = await setUpStore(url);
    await pool.query(`CREATE TABLE ${schema}."it's" (key text); COMMENT ON TABLE ${schema}."it's" IS ${comment}`);
    const options = { schema, table: "new_entries", inboxTable: "new_inbox", [option]: "it's" };
    const refused = {
      code: "42P07",
      message: expect.stringMatching(/it's.*Doorcode (store, version 2|inbox, version 1).*another name/),
    };
    await expect(migrate(pool, options)).rejects.toMatchObject(refused);
    await expect(pool.query(migration(options))).rejects.toMatchObject(refused);
    const { rows } = await pool.query(
      `SELECT relname, obj_description(oid, 'pg_class') AS comment FROM pg_class
       WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND relname NOT LIKE 'doorcode%'`,
      [schema],
    );
    expect(rows).toEqual([{ relname: "it's", comment: comment === "NULL" ? null : "Doorcode inbox, version 0" }]);
  });

  test("is named in the error of a store whose table is missing or older", async () => {
    const { pool, schema } = await setUpStore(url);
    const missing = createPostgresStore({ pool, schema, table: "missing" });
    await expect(missing.get(["k"])).rejects.toMatchObject({ code: "store_unavailable" });
    await expect(missing.get(["k"])).rejects.toThrow("migrate(pool)");
    await createVersion1(pool, schema);
    const older = createPostgresStore({ pool, schema });
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
    [{ pool, timeoutSeconds: "2s" }, "timeoutSeconds"],
    [{ pool, table: "" }, "table"],
    [{ pool, table: "t".repeat(51) }, "table"],
    [{ pool, schema: "a\0b" }, "schema"],
    [{ pool, clock: {} }, "clock"],
    [{ pool, cleaning: 60 }, "cleaning"],
    [{ pool, onError: "warn" }, "onError"],
  ];
  for (const [options, named] of wrong) {
    expect(() => Reflect.apply(createPostgresStore, undefined, [options])).toThrow(
      new RegExp(`^createPostgresStore: ${named}(\\.\\w+)?: expected `),
    );
  }
  const wrongName = { inboxTable: "" };
  expect(() => migration(wrongName)).toThrow("migration: inboxTable: expected a name");
  await expect(migrate(pool, wrongName)).rejects.toThrow("migrate: inboxTable: expected a name");
  const store = createPostgresStore({ pool });
  for (const batch of [0, 0.5]) await expect(store.removeExpired({ batch })).rejects.toThrow("batch");
});

test("migrate refuses anything but a pool, and says what to pass", async () => {
  await expect(Reflect.apply(migrate, undefined, [])).rejects.toThrow(/new Pool/);
  await expect(Reflect.apply(migrate, undefined, [new Client()])).rejects.toThrow(/new Pool/);
});

test.skipIf(!server)("migrate refuses a database that cannot hold every text, and says what to do", async () => {
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
  await expect(migrate(pool)).rejects.toThrow(/LATIN1.*--encoding=UTF8/);
});
