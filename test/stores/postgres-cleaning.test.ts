import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { findPostgres } from "../support/postgres-server.ts";
import { type PostgresBench, setUpBench } from "./postgres-bench.ts";

const server = await findPostgres();
afterAll(() => server?.close());
const url = server?.url ?? "";

const minute = { ttlSeconds: 60 } as const;

async function countRows({ pool, table }: PostgresBench): Promise<number> {
  return Number((await pool.query(`SELECT count(*) FROM ${table}`)).rows[0].count);
}

async function fill({ store }: PostgresBench, count: number, ttlSeconds: number): Promise<void> {
  for (let index = 0; index < count; index++) await store.put(`${ttlSeconds}:${index}`, "value", { ttlSeconds });
}

describe.skipIf(!server)("the removal of what has expired, on a PostgreSQL server", () => {
  test("takes at most a batch, what is over first, and nothing that lives", async () => {
    const bench = await setUpBench(url);
    await fill(bench, 5, 10);
    await fill(bench, 5, 600);
    await bench.advance(10_000);
    expect(await countRows(bench)).toBe(10);
    expect(await bench.store.removeExpired({ batch: 3 })).toBe(3);
    expect(await bench.store.removeExpired({ batch: 3 })).toBe(2);
    expect(await bench.store.removeExpired({ batch: 3 })).toBe(0);
    expect(await bench.store.get(["600:0", "600:4"])).toEqual(["value", "value"]);
  });

  test("removes an entry as soon as it has expired, and no sooner", async () => {
    const bench = await setUpBench(url);
    await fill(bench, 1, 100);
    await bench.advance(99_000);
    expect(await bench.store.removeExpired()).toBe(0);
    await bench.advance(1000);
    expect(await bench.store.removeExpired()).toBe(1);
  });

  test("leaves an entry that is renewed after the removal has begun", async () => {
    const bench = await setUpBench(url);
    const { pool, schema, table } = bench;
    // Holds the statement after it has taken its view of the table, and before it looks at a row.
    await pool.query(`CREATE FUNCTION ${schema}.wait() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN PERFORM pg_advisory_xact_lock(hashtext('${schema}')); RETURN NULL; END $$;
      CREATE TRIGGER wait BEFORE DELETE ON ${table} EXECUTE FUNCTION ${schema}.wait()`);
    await fill(bench, 2, 10);
    await bench.advance(10_000);
    const holder = await bench.client();
    await holder.query("SELECT pg_advisory_lock(hashtext($1))", [schema]);
    const removing = bench.store.removeExpired();
    const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory' AND query LIKE '%' || $1 || '%'";
    await vi.waitFor(async () => expect((await holder.query(waits, [schema])).rowCount).toBe(1), { interval: 10 });
    await bench.store.put("10:0", "renewed", minute);
    await holder.query("SELECT pg_advisory_unlock(hashtext($1))", [schema]);

    expect(await removing).toBe(1);
    expect(await bench.store.get(["10:0", "10:1"])).toEqual(["renewed", undefined]);
  });

  test("passes by an entry that somebody is renewing, and does not wait for it", async () => {
    const bench = await setUpBench(url);
    await fill(bench, 2, 10);
    await bench.advance(10_000);
    const other = await bench.client();
    await other.query("BEGIN");
    await other.query(`UPDATE ${bench.table} SET expires_at = now() + interval '1 hour' WHERE key = '10:0'`);
    expect(await bench.store.removeExpired()).toBe(1);
    await other.query("COMMIT");
    expect(await bench.store.get(["10:0"])).toEqual(["value"]);
  });

  test("loses no increment that races with it", async () => {
    const bench = await setUpBench(url);
    const change = { key: "c", by: 1, ttlSeconds: 60 };
    for (let round = 0; round < 20; round++) {
      await bench.store.increment([{ ...change, by: 100 }]);
      await bench.advance(60_000);
      const counting = Array.from({ length: 8 }, () => bench.store.increment([change]));
      await Promise.all([...counting, bench.store.removeExpired(), bench.store.removeExpired()]);
      expect(await bench.store.increment([{ ...change, by: 0 }])).toMatchObject([{ count: 8 }]);
      await bench.store.put("c", undefined, minute);
    }
  });

  test("uses the index, however much lives", async () => {
    const bench = await setUpBench(url);
    await bench.pool.query(`INSERT INTO ${bench.table} (key, expires_at)
      SELECT 'live ' || n, now() + interval '1 hour' FROM generate_series(1, 20000) AS n`);
    await bench.pool.query(`ANALYZE ${bench.table}`);
    const { rows } = await bench.pool.query(
      `EXPLAIN SELECT key FROM ${bench.table} WHERE expires_minute <= now() AND expires_at <= now()
       ORDER BY expires_minute LIMIT 1000 FOR UPDATE SKIP LOCKED`,
    );
    expect(JSON.stringify(rows)).toContain("Index Scan using doorcode_entries_expiry");
  });

  test("comes again on a timer, batch by batch, until it is stopped", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const bench = await setUpBench(url);
    await fill(bench, 5, 10);
    await bench.advance(10_000);
    const stop = bench.store.startCleaning({ everySeconds: 30, batch: 2 });
    vi.advanceTimersByTime(29_999);
    expect(await countRows(bench)).toBe(5);
    vi.advanceTimersByTime(1);
    await vi.waitFor(async () => expect(await countRows(bench)).toBe(0));
    stop();
    await fill(bench, 1, 10);
    await bench.advance(10_000);
    vi.advanceTimersByTime(90_000);
    expect(vi.getTimerCount()).toBe(0);
    expect(await countRows(bench)).toBe(1);
  });

  test("tells of a failure and tries again", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const bench = await setUpBench(url);
    await bench.pool.query(`ALTER TABLE ${bench.table} RENAME TO elsewhere`);
    const errors: unknown[] = [];
    const stop = bench.store.startCleaning({ everySeconds: 1, onError: (error) => errors.push(error) });
    onTestFinished(stop);
    for (const expected of [1, 2]) {
      vi.advanceTimersByTime(1000);
      await vi.waitFor(() => expect(errors).toHaveLength(expected));
    }
    expect(errors).toMatchObject([{ code: "store_unavailable" }, { code: "store_unavailable" }]);
  });

  test("rewrites no index for a lease and its settling within the minute", async () => {
    const { store, pool, table } = await setUpBench(url, { pool: { max: 1 } });
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
    // The minute may turn while the test runs.
    expect(hot).toBeGreaterThanOrEqual(98);
  });
});
