import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { findPostgres } from "../support/postgres-server.ts";
import { type PostgresSetup, setUpStore } from "./postgres-setup.ts";

const server = await findPostgres();
afterAll(() => server?.close());
const url = server?.url ?? "";

const minute = { ttlSeconds: 60 } as const;

async function countRows({ pool, table }: PostgresSetup): Promise<number> {
  return Number((await pool.query(`SELECT count(*) FROM ${table}`)).rows[0].count);
}

async function fill({ store }: PostgresSetup, count: number, ttlSeconds: number): Promise<void> {
  for (let index = 0; index < count; index++) await store.put(`${ttlSeconds}:${index}`, "value", { ttlSeconds });
}

describe.skipIf(!server)("the removal of what has expired, on a PostgreSQL server", () => {
  test("removes at most a batch, the longest expired first, and no live entry", async () => {
    const setup = await setUpStore(url);
    await fill(setup, 5, 10);
    await fill(setup, 5, 600);
    await setup.advance(10_000);
    expect(await countRows(setup)).toBe(10);
    expect(await setup.store.removeExpired({ batch: 3 })).toBe(3);
    expect(await setup.store.removeExpired({ batch: 3 })).toBe(2);
    expect(await setup.store.removeExpired({ batch: 3 })).toBe(0);
    expect(await setup.store.get(["600:0", "600:4"])).toEqual(["value", "value"]);
  });

  test("removes an entry as soon as it has expired, and no sooner", async () => {
    const setup = await setUpStore(url);
    await fill(setup, 1, 100);
    await setup.advance(99_000);
    expect(await setup.store.removeExpired()).toBe(0);
    await setup.advance(1000);
    expect(await setup.store.removeExpired()).toBe(1);
  });

  test("leaves an entry that is renewed after the removal has begun", async () => {
    const setup = await setUpStore(url);
    const { pool, schema, table } = setup;
    // Holds the statement after its snapshot, and before it reads a row.
    await pool.query(`CREATE FUNCTION ${schema}.wait() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN PERFORM pg_advisory_xact_lock(hashtext('${schema}')); RETURN NULL; END $$;
      CREATE TRIGGER wait BEFORE DELETE ON ${table} EXECUTE FUNCTION ${schema}.wait()`);
    await fill(setup, 2, 10);
    await setup.advance(10_000);
    const holder = await setup.client();
    await holder.query("SELECT pg_advisory_lock(hashtext($1))", [schema]);
    const removing = setup.store.removeExpired();
    const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory' AND query LIKE '%' || $1 || '%'";
    await vi.waitFor(async () => expect((await holder.query(waits, [schema])).rowCount).toBe(1), { interval: 10 });
    await setup.store.put("10:0", "renewed", minute);
    await holder.query("SELECT pg_advisory_unlock(hashtext($1))", [schema]);

    expect(await removing).toBe(1);
    expect(await setup.store.get(["10:0", "10:1"])).toEqual(["renewed", undefined]);
  });

  test("skips an entry that is being renewed, and does not wait for it", async () => {
    const setup = await setUpStore(url);
    await fill(setup, 2, 10);
    await setup.advance(10_000);
    const other = await setup.client();
    await other.query("BEGIN");
    await other.query(`UPDATE ${setup.table} SET expires_at = now() + interval '1 hour' WHERE key = '10:0'`);
    expect(await setup.store.removeExpired()).toBe(1);
    await other.query("COMMIT");
    expect(await setup.store.get(["10:0"])).toEqual(["value"]);
  });

  test("loses no increment that races with it", async () => {
    const setup = await setUpStore(url);
    const change = { key: "c", by: 1, ttlSeconds: 60 };
    for (let round = 0; round < 20; round++) {
      await setup.store.increment([{ ...change, by: 100 }]);
      await setup.advance(60_000);
      const counting = Array.from({ length: 8 }, () => setup.store.increment([change]));
      await Promise.all([...counting, setup.store.removeExpired(), setup.store.removeExpired()]);
      expect(await setup.store.increment([{ ...change, by: 0 }])).toMatchObject([{ count: 8 }]);
      await setup.store.put("c", undefined, minute);
    }
  });

  test("uses the index, however many entries are live", async () => {
    const setup = await setUpStore(url);
    await setup.pool.query(`INSERT INTO ${setup.table} (key, expires_at)
      SELECT 'live ' || n, now() + interval '1 hour' FROM generate_series(1, 20000) AS n`);
    await setup.pool.query(`ANALYZE ${setup.table}`);
    const { rows } = await setup.pool.query(
      `EXPLAIN SELECT key FROM ${setup.table} WHERE expires_minute <= now() AND expires_at <= now()
       ORDER BY expires_minute LIMIT 1000 FOR UPDATE SKIP LOCKED`,
    );
    expect(JSON.stringify(rows)).toContain("Index Scan using doorcode_entries_expiry");
  });

  test("runs again on a timer, batch by batch, until it is stopped", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const setup = await setUpStore(url);
    await fill(setup, 5, 10);
    await setup.advance(10_000);
    const stop = setup.store.startCleaning({ everySeconds: 30, batch: 2 });
    vi.advanceTimersByTime(29_999);
    expect(await countRows(setup)).toBe(5);
    vi.advanceTimersByTime(1);
    await vi.waitFor(async () => expect(await countRows(setup)).toBe(0));
    stop();
    await fill(setup, 1, 10);
    await setup.advance(10_000);
    vi.advanceTimersByTime(90_000);
    expect(vi.getTimerCount()).toBe(0);
    expect(await countRows(setup)).toBe(1);
  });

  test("reports a failure and tries again", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const setup = await setUpStore(url);
    await setup.pool.query(`ALTER TABLE ${setup.table} RENAME TO elsewhere`);
    const errors: unknown[] = [];
    const stop = setup.store.startCleaning({ everySeconds: 1, onError: (error) => errors.push(error) });
    onTestFinished(stop);
    for (const expected of [1, 2]) {
      vi.advanceTimersByTime(1000);
      await vi.waitFor(() => expect(errors).toHaveLength(expected));
    }
    expect(errors).toMatchObject([{ code: "store_unavailable" }, { code: "store_unavailable" }]);
  });

  test("rewrites no index for a lease and its settling within the minute", async () => {
    const { store, pool, table } = await setUpStore(url, { pool: { max: 1 } });
    await store.put("event", "state", { ttlSeconds: 604_800 });
    for (let round = 0; round < 50; round++) {
      await store.lease("event", "a", { leaseSeconds: 15, ttlSeconds: 604_800 });
      await store.settle("event", "a", "state", { ttlSeconds: 604_800 });
    }
    const counts = `SELECT n_tup_upd::int AS updates, n_tup_hot_upd::int AS hot
      FROM pg_stat_user_tables WHERE relid = $1::regclass`;
    const { hot } = await vi.waitFor(
      async () => {
        const { rows } = await pool.query(counts, [table]);
        expect(rows[0].updates).toBe(100);
        return rows[0];
      },
      { timeout: 10_000 },
    );
    // A new minute may begin while the test runs.
    expect(hot).toBeGreaterThanOrEqual(98);
  });
});
