import { inspect } from "node:util";
import { createPostgresStore, migrate } from "@doorcode/postgres";
import { Pool } from "pg";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { postgresKey } from "../support/postgres-key.ts";
import { startPostgresProxy } from "../support/postgres-proxy.ts";
import { findPostgres } from "../support/postgres-server.ts";
import { type PostgresSetup, setUpStore } from "./postgres-setup.ts";

const server = await findPostgres();
afterAll(() => server?.close());
const url = server?.url ?? "";

const minute = { ttlSeconds: 60 } as const;
const lease = { leaseSeconds: 60, ttlSeconds: 60 } as const;

/** Waits until that many sessions wait for a lock of this test. */
async function blocked({ advance: _, ...setup }: PostgresSetup, count = 1): Promise<void> {
  const text = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%' || $1 || '%'`;
  const watcher = await setup.client();
  await vi.waitFor(async () => expect((await watcher.query(text, [setup.schema])).rowCount).toBe(count), {
    timeout: 10_000,
    interval: 10,
  });
}

test.skipIf(!server)(
  "L25: a counter that a list reads is read after the changes of the list, also if these had to wait",
  async () => {
    const setup = await setUpStore(url);
    const { store, client, table } = setup;
    const balance = { key: "balance", by: 1, ...minute };
    const closed = { key: "closed", ...minute };
    await store.increment([balance]);
    const transaction = await client();
    await transaction.query("BEGIN");
    await transaction.query(`SELECT 1 FROM ${table} FOR UPDATE`);
    const waiting = store.increment([{ ...closed, by: 0 }, balance]);
    await blocked(setup);
    await store.increment([{ ...closed, by: 1 }]);
    await transaction.query("COMMIT");
    expect((await waiting).map(({ count }) => count)).toEqual([1, 2]);
  },
);

describe.skipIf(!server)("settle inside a transaction of the app, on a PostgreSQL server", () => {
  test.each([
    { what: "a value", value: "new" },
    { what: "undefined", value: undefined },
  ])("changes nothing, not even the lease, when $what is rolled back", async ({ value }) => {
    const { store, client } = await setUpStore(url);
    const transaction = await client();
    await store.put("event", "old", minute);
    await store.lease("event", "a", lease);
    await transaction.query("BEGIN");
    expect(await store.settle("event", "a", value, { ...minute, client: transaction })).toBe(true);
    await transaction.query("ROLLBACK");

    expect(await store.lease("event", "b", lease)).toEqual({ held: false, value: "old" });
    expect(await store.settle("event", "a", "new", minute)).toBe(true);
  });

  test("refuses a former holder, and leaves the transaction usable", async () => {
    const { store, client, advance } = await setUpStore(url);
    const transaction = await client();
    await store.lease("event", "slow", { leaseSeconds: 1, ttlSeconds: 60 });
    await advance(1000);
    await store.lease("event", "next", lease);
    await transaction.query("BEGIN");
    expect(await store.settle("event", "slow", "slow", { ...minute, client: transaction })).toBe(false);
    await transaction.query("COMMIT");
    expect(await store.settle("event", "next", "next", minute)).toBe(true);
  });

  test("makes other callers wait for the end of the transaction, and then shows the result", async () => {
    const setup = await setUpStore(url);
    const { store } = setup;
    const transaction = await setup.client();
    await store.lease("event", "a", lease);
    await transaction.query("BEGIN");
    await store.settle("event", "a", "done", { ...minute, client: transaction });
    const waiting = store.lease("event", "b", lease);
    await blocked(setup);
    await transaction.query("COMMIT");
    expect(await waiting).toEqual({ held: true, value: "done" });
  });

  test("begins the lifetime with the settlement, and not with the transaction", async () => {
    const { store, client, table } = await setUpStore(url);
    const transaction = await client();
    await store.lease("event", "a", lease);
    await transaction.query("BEGIN");
    await store.settle("event", "a", "done", { ...minute, client: transaction });
    const { rows } = await transaction.query(`SELECT expires_at > now() + interval '60 s' AS later FROM ${table}`);
    await transaction.query("COMMIT");
    expect(rows).toEqual([{ later: true }]);
  });

  test("keeps nobody waiting but those who need its key, whatever is asked at once", async () => {
    const setup = await setUpStore(url);
    const { store } = setup;
    const transaction = await setup.client();
    const keys = ["one", "event", "other"];
    await Promise.all(keys.map((key) => store.lease(key, "a", lease)));
    await transaction.query("BEGIN");
    await store.settle("event", "a", "done", { ...minute, client: transaction });
    for (let times = 0; times < 3; times++) {
      const leases = [...keys, `new ${times}`].map((key) => store.lease(key, "a", lease));
      const settled = keys.map((key) => store.settle(key, "a", "late", { ...minute, hold: true }));
      for (const index of [0, 2, 3]) expect(await leases[index]).toMatchObject({ held: true });
      expect(await Promise.all([settled[0], settled[2]])).toEqual([true, true]);
      for (const waiting of [leases[1], settled[1]]) waiting?.catch(() => undefined);
    }
    const waiting = store.lease("event", "b", lease);
    await transaction.query("ROLLBACK");
    expect(await waiting).toMatchObject({ held: false });
  });
});

describe.skipIf(!server)("the store and its app, on a PostgreSQL server", () => {
  test("never counts inside a transaction that came back to the pool", async () => {
    const { store, pool } = await setUpStore(url, { pool: { max: 1 } });
    const leaking = await pool.connect();
    await leaking.query("BEGIN");
    leaking.release();
    const change = { key: "attempts", by: 1, ...minute };
    await expect(store.increment([change])).rejects.toThrow("COMMIT or ROLLBACK before release()");
    expect(await store.increment([change])).toMatchObject([{ count: 1 }]);
  });

  test("rejects without the values of a statement that fails, under any settings of the server", async () => {
    const { store, pool, table } = await setUpStore(url, {
      pool: { options: "-c log_parameter_max_length_on_error=-1" },
    });
    await pool.query(`ALTER TABLE ${table} ADD CHECK (length(value) < 5)`);
    const value = "+4915112345678";
    const error = await store.put("k", value, minute).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: "23514" });
    for (const text of [value, Buffer.from(value).toString("hex")]) expect(inspect(error)).not.toContain(text);
  });

  test.each([
    "timezone=Asia/Kathmandu",
    "DateStyle=German",
    "IntervalStyle=sql_standard",
    "bytea_output=escape",
    "extra_float_digits=-15",
    "lc_numeric=C",
    "plan_cache_mode=force_generic_plan",
    "enable_hashjoin=off",
    "standard_conforming_strings=off",
    "default_transaction_isolation=serializable",
    "synchronous_commit=off",
  ])("answers the same under %s", async (setting) => {
    const { store, advance } = await setUpStore(url, { pool: { options: `-c ${setting}` } });
    await store.put("k\\'", "v\\'\\x00", minute);
    expect(await store.get(["k\\'"])).toEqual(["v\\'\\x00"]);
    const [counter] = await store.increment([{ key: "c", by: 1_000_000_000_000, limit: 1e300, ttlSeconds: 86_400 }]);
    expect(counter).toEqual({ granted: true, count: 1_000_000_000_000, secondsLeft: 86_400 });
    await store.lease("k\\'", "a", { leaseSeconds: 1, ttlSeconds: 60 });
    await advance(1000);
    expect(await store.lease("k\\'", "b", lease)).toEqual({ held: true, value: "v\\'\\x00" });
  });

  test("creates the schema, and finds the table by the search path without one", async () => {
    const { pool: admin, schema } = await setUpStore(url);
    const pool = new Pool({ connectionString: url, options: `-c search_path=${schema}_new` });
    await migrate(admin, { schema: `${schema}_new`, table: "found" });
    await createPostgresStore({ pool, table: "found", cleaning: false }).put("k", "v", minute);
    await pool.end();
    expect((await admin.query(`SELECT convert_from(value, 'UTF8') AS value FROM ${schema}_new.found`)).rows).toEqual([
      { value: "v" },
    ]);
    await admin.query(`DROP SCHEMA ${schema}_new CASCADE`);
  });

  test("needs no right to create where the table is up to date", async () => {
    const { pool, schema } = await setUpStore(url);
    const role = `${schema}_app`;
    await pool.query(`CREATE ROLE ${role}; GRANT USAGE ON SCHEMA ${schema} TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ${schema}.doorcode_entries TO ${role}`);
    const limited = new Pool({ connectionString: url, options: `-c role=${role}` });
    onTestFinished(async () => {
      await limited.end();
    });
    await migrate(limited, { schema });
    const store = createPostgresStore({ pool: limited, schema, cleaning: false });
    await store.put("k", "v", minute);
    await store.increment([{ key: "c", by: 1, ...minute }]);
    await store.lease("k", "a", lease);
    expect(await store.settle("k", "a", undefined, minute)).toBe(true);
    expect(await store.removeExpired()).toBe(0);
    await expect(migrate(limited, { schema, table: "other" })).rejects.toMatchObject({ code: "42501" });
    await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });
});

describe.skipIf(!server)("conflicts with others, on a PostgreSQL server", () => {
  const both = ["a", "b"].map((key) => ({ key, by: 1, ...minute }));

  async function setUp(options: string) {
    const proxy = await startPostgresProxy(url);
    onTestFinished(() => proxy.close());
    const setup = await setUpStore(url, { pool: { connectionString: proxy.url, options } });
    await setup.store.increment(both);
    proxy.countCommands();
    return { ...setup, setup, proxy };
  }

  test("a deadlock is repeated, and everything counted once", async () => {
    const { setup, store, table, client, proxy } = await setUp("-c deadlock_timeout=10ms");
    const change = (key: string) => ({ key, by: 1, ...minute });
    const keys = ["c", "b", "a"].map(change);
    await store.increment([change("c")]);
    proxy.countCommands();
    const [gate, other] = [await client(), await client()];
    // In the order of their digests: the store holds c and waits for b; the other holds a and waits for c; the gate frees b, and the
    // store asks for a.
    await gate.query("BEGIN");
    await gate.query(`UPDATE ${table} SET count = count + 10 WHERE key = '${postgresKey("b")}'`);
    const counting = store.increment(keys);
    await blocked(setup);
    await other.query("BEGIN; SET LOCAL deadlock_timeout = '60s'");
    await other.query(`UPDATE ${table} SET count = count + 10 WHERE key = '${postgresKey("a")}'`);
    const waiting = other.query(`UPDATE ${table} SET count = count + 10 WHERE key = '${postgresKey("c")}'`);
    await blocked(setup, 2);
    await gate.query("COMMIT");
    await waiting;
    await other.query("COMMIT");
    expect((await counting).map(({ count }) => count)).toEqual([12, 12, 12]);
    // The repetition may take c before the other wakes up, and meet the same deadlock.
    expect(proxy.countCommands()).toBeGreaterThanOrEqual(2);
  });

  test("lists in opposite order never cause a deadlock", async () => {
    const { setup, store, table, client, proxy } = await setUp("-c deadlock_timeout=10ms");
    const other = await client();
    await other.query("BEGIN");
    await other.query(`UPDATE ${table} SET count = count WHERE key = '${postgresKey("a")}'`);
    const counting = Array.from({ length: 8 }, (_, index) =>
      store.increment(index % 2 === 0 ? both : both.toReversed()),
    );
    await blocked(setup, 8);
    await other.query("COMMIT");
    await Promise.all(counting);
    expect((await store.increment(both)).map(({ count }) => count)).toEqual([10, 10]);
    expect(proxy.countCommands()).toBe(9);
  });

  test.each(["serializable", "repeatable read"])(
    "a serialization failure under %s is repeated, and counted once",
    async (level) => {
      const options = `-c default_transaction_isolation=${level.replace(" ", "\\ ")}`;
      const { setup, store, table, client, proxy } = await setUp(options);
      const other = await client();
      await other.query("BEGIN");
      await other.query(`UPDATE ${table} SET count = count + 10 WHERE key = '${postgresKey("a")}'`);
      const counting = store.increment(both);
      await blocked(setup);
      await other.query("COMMIT");
      expect((await counting).map(({ count }) => count)).toEqual([12, 2]);
      expect(proxy.countCommands()).toBe(2);
    },
  );

  test("repeated conflicts end with the time-out", async () => {
    const { pool, schema, table } = await setUpStore(url);
    await pool.query(`CREATE FUNCTION ${schema}.conflict() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE serialization_failure; END $$;
      CREATE TRIGGER conflict BEFORE INSERT ON ${table} EXECUTE FUNCTION ${schema}.conflict()`);
    const store = createPostgresStore({ pool, schema, timeoutSeconds: 0.2, cleaning: false });
    await expect(store.put("k", "v", minute)).rejects.toMatchObject({ code: "store_unavailable" });
  });
});
