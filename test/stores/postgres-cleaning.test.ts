import { createManualClock, type ManualClock } from "@doorcode/core/testing";
import { createPostgresInbox, createPostgresStore } from "@doorcode/postgres";
import { Pool } from "pg";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { postgresKey } from "../support/postgres-key.ts";
import { findPostgres } from "../support/postgres-server.ts";
import { type PostgresSetup, setUpStore } from "./postgres-setup.ts";

const server = await findPostgres();
afterAll(() => server?.close());
const url = server?.url ?? "";

const minute = { ttlSeconds: 60 } as const;

async function countRows({ pool, table }: Pick<PostgresSetup, "pool" | "table">): Promise<number> {
  return Number((await pool.query(`SELECT count(*) FROM ${table}`)).rows[0].count);
}

async function fill({ store }: PostgresSetup, count: number, ttlSeconds: number): Promise<void> {
  for (let index = 0; index < count; index++) await store.put(`${ttlSeconds}:${index}`, "value", { ttlSeconds });
}

/** Adds entries that expired two minutes ago. */
async function insertExpired({ pool, table }: Pick<PostgresSetup, "pool" | "table">, count: number): Promise<void> {
  await pool.query(
    `INSERT INTO ${table} (key, expires_at)
     SELECT n::text::bytea, now() - interval '2 minutes' FROM generate_series(1, $1::int) AS n`,
    [count],
  );
}

/** Holds each removal after its snapshot, and before it reads a row. */
async function holdRemovals({ pool, schema, table, client }: PostgresSetup) {
  await pool.query(`CREATE FUNCTION ${schema}.wait() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN PERFORM pg_advisory_xact_lock(hashtext('${schema}')); RETURN NULL; END $$;
    CREATE TRIGGER wait BEFORE DELETE ON ${table} EXECUTE FUNCTION ${schema}.wait()`);
  const holder = await client();
  await holder.query("SELECT pg_advisory_lock(hashtext($1))", [schema]);
  const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory' AND query LIKE '%' || $1 || '%'";
  return {
    arrived: () => expect.poll(async () => (await holder.query(waits, [schema])).rowCount).toBe(1),
    release: () => holder.query("SELECT pg_advisory_unlock(hashtext($1))", [schema]),
  };
}

/** Tells whether the next removal is due in a minute, which it is once the last one is done. */
function isWaiting(clock: ManualClock): boolean {
  return clock.nextDue === clock.now() + 60_000;
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
    await fill(setup, 2, 10);
    await setup.advance(10_000);
    const removal = await holdRemovals(setup);
    const removing = setup.store.removeExpired();
    await removal.arrived();
    await setup.store.put("10:0", "renewed", minute);
    await removal.release();

    expect(await removing).toBe(1);
    expect(await setup.store.get(["10:0", "10:1"])).toEqual(["renewed", undefined]);
  });

  test("skips an entry that is being renewed, and does not wait for it", async () => {
    const setup = await setUpStore(url);
    await fill(setup, 2, 10);
    await setup.advance(10_000);
    const other = await setup.client();
    await other.query("BEGIN");
    await other.query(
      `UPDATE ${setup.table} SET expires_at = now() + interval '1 hour' WHERE key = '${postgresKey("10:0")}'`,
    );
    expect(await setup.store.removeExpired()).toBe(1);
    await other.query("COMMIT");
    expect(await setup.store.get(["10:0"])).toEqual(["value"]);
  });

  test("happens by itself once a minute, batch by batch, until the store is closed", async () => {
    const clock = createManualClock();
    const setup = await setUpStore(url, { store: { clock } });
    await insertExpired(setup, 1500);
    await clock.advance(59_999);
    expect(await countRows(setup)).toBe(1500);
    await clock.advance(1);
    await expect.poll(() => isWaiting(clock)).toBe(true);
    expect(await countRows(setup)).toBe(0);
    await insertExpired(setup, 1);
    await clock.advance(60_000);
    await expect.poll(() => isWaiting(clock)).toBe(true);
    expect(await countRows(setup)).toBe(0);
    await setup.store.close();
    expect(clock.pending).toBe(0);
  });

  test("removes at most 50,000 entries in a minute", async () => {
    const clock = createManualClock();
    const setup = await setUpStore(url, { store: { clock } });
    await insertExpired(setup, 50_001);
    await clock.advance(60_000);
    await expect.poll(() => isWaiting(clock)).toBe(true);
    expect(await countRows(setup)).toBe(1);
  });

  test("does not happen by itself if `cleaning` is off", async () => {
    const clock = createManualClock();
    await setUpStore(url, { store: { clock, cleaning: false } });
    expect(clock.pending).toBe(0);
  });

  test("is waited for by close(), after which the store still answers and its pool may end", async () => {
    const clock = createManualClock();
    const setup = await setUpStore(url, { store: { clock } });
    await insertExpired(setup, 1001);
    const removal = await holdRemovals(setup);
    await clock.advance(60_000);
    await removal.arrived();
    let isClosed = false;
    const closing = setup.store.close().then(() => {
      isClosed = true;
    });
    await setup.store.put("k", "v", minute);
    expect(isClosed).toBe(false);
    await removal.release();
    await closing;
    // Of two batches only the one that had begun.
    expect(await countRows(setup)).toBe(2);
    expect(await setup.store.get(["k"])).toEqual(["v"]);
    expect(clock.pending).toBe(0);
    await setup.pool.end();
  });

  test("reports a failure and tries again, also if the report fails", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
    onTestFinished(() => void warned.mockRestore());
    const clock = createManualClock();
    const errors: unknown[] = [];
    const onError = (error: unknown) => {
      errors.push(error);
      if (errors.length === 1) throw new Error("The report failed.");
    };
    const setup = await setUpStore(url, { store: { clock, onError } });
    await setup.pool.query(`ALTER TABLE ${setup.table} RENAME TO elsewhere`);
    for (const expected of [1, 2]) {
      await clock.advance(60_000);
      await expect.poll(() => errors.length).toBe(expected);
    }
    expect(errors).toMatchObject([{ code: "store_unavailable" }, { code: "store_unavailable" }]);
    expect(warned).toHaveBeenCalledTimes(1);
    expect(String(warned.mock.calls[0]?.[0])).toMatch(/could not remove expired entries.*migrate/);
  });
});

test.each([
  ["store", createPostgresStore],
  ["inbox", createPostgresInbox],
])("the timer of the %s that removes what has expired does not keep the process alive", (_, create) => {
  const scheduled = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => void scheduled.mockRestore());
  create({ pool: new Pool() });
  const timers: NodeJS.Timeout[] = scheduled.mock.results.map(({ value }) => value);
  timers.forEach((timer) => void onTestFinished(() => clearTimeout(timer)));
  expect(scheduled.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([60_000]);
  expect(timers.map((timer) => timer.hasRef())).toEqual([false]);
});
