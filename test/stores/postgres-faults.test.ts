import { inspect } from "node:util";
import type { Store } from "@doorcode/core/store";
import { createManualClock } from "@doorcode/core/testing";
import { migrate } from "@doorcode/postgres";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { withoutValues } from "../../packages/postgres/src/connection/run-statement.ts";
import { startPostgresProxy } from "../support/postgres-proxy.ts";
import { findPostgres } from "../support/postgres-server.ts";
import { setUpStore } from "./postgres-setup.ts";

const server = await findPostgres();
afterAll(() => server?.close());
const url = server?.url ?? "";

const minute = { ttlSeconds: 60 } as const;
const lease = { leaseSeconds: 60, ttlSeconds: 60 } as const;
const change = { key: "c", by: 1, ...minute };

const time = { timeoutSeconds: 2 };
const timeoutMilliseconds = 2000;

const calls: readonly { readonly name: keyof Store; readonly call: (store: Store) => Promise<unknown> }[] = [
  { name: "get", call: (store) => store.get(["k"]) },
  { name: "put", call: (store) => store.put("k", "v", minute) },
  { name: "increment", call: (store) => store.increment([change]) },
  { name: "lease", call: (store) => store.lease("k", "a", lease) },
  { name: "settle", call: (store) => store.settle("k", "a", "v", minute) },
];

test("L41: an error of PostgreSQL has lost everything in which the server quotes rows and parameters", () => {
  const quoted = "+4915123456789";
  const where = `unnamed portal with parameters: $1 = '${quoted}'`;
  const error = Object.assign(new Error("refused"), { detail: quoted, where, internalQuery: quoted, code: "23505" });
  expect(inspect(withoutValues(error))).not.toContain(quoted);
  expect(error).toMatchObject({ message: "refused", code: "23505" });
});

describe.skipIf(!server)("a connection to a PostgreSQL server that breaks", () => {
  test("a connection without an answer is closed, and a new one is opened", async () => {
    const proxy = await startPostgresProxy(url);
    onTestFinished(() => proxy.close());
    const clock = createManualClock();
    const { store, pool } = await setUpStore(url, { pool: { connectionString: proxy.url }, store: { ...time, clock } });
    await store.get(["k"]);
    proxy.countCommands();
    proxy.dropRequests();
    const refused = expect(store.increment([change])).rejects.toMatchObject({ code: "store_unavailable" });
    await expect.poll(() => proxy.countCommands()).toBe(1);
    await clock.advance(timeoutMilliseconds);
    await refused;
    expect([pool.totalCount, pool.idleCount]).toEqual([0, 0]);
    proxy.restore();
    await store.increment([change]);
    expect([pool.totalCount, pool.idleCount]).toEqual([1, 1]);
  });

  test("a server that is not there is named, with what to check", async () => {
    const proxy = await startPostgresProxy(url);
    await proxy.close();
    const { store, pool } = await setUpStore(url, { pool: { connectionString: proxy.url } });
    const unreachable = {
      code: "store_unavailable",
      message: expect.stringMatching(/ECONNREFUSED.*: check that it runs, that the pool has its address and password/),
      cause: { code: "ECONNREFUSED" },
    };
    await expect(store.get(["k"])).rejects.toMatchObject(unreachable);
    await expect(migrate(pool)).rejects.toMatchObject(unreachable);
  });
});

describe.skipIf(!server)("a server that is too busy", () => {
  test("a function rejects while others hold every connection, and leaks no connection", async () => {
    const clock = createManualClock();
    const { store, pool } = await setUpStore(url, { pool: { max: 1 }, store: { ...time, clock } });
    const held = await pool.connect();
    for (const { call } of calls) {
      const refused = expect(call(store)).rejects.toMatchObject({ code: "store_unavailable" });
      await clock.advance(timeoutMilliseconds);
      await refused;
    }
    held.release();
    for (const { call } of calls) await call(store);
    expect([pool.totalCount, pool.idleCount, pool.waitingCount]).toEqual([1, 1, 0]);
  });

  test("a function rejects while it waits for a lock, and its connection is not used again", async () => {
    const clock = createManualClock();
    const { store, pool, table, client } = await setUpStore(url, { pool: { max: 1 }, store: { ...time, clock } });
    const pid = async () => (await pool.query("SELECT pg_backend_pid() AS pid")).rows[0].pid;
    const before = await pid();
    const locking = await client();
    await locking.query("BEGIN");
    await locking.query(`LOCK TABLE ${table}`);
    const waiting = `SELECT FROM pg_locks WHERE relation = '${table}'::regclass AND NOT granted`;
    for (const [index, { call }] of calls.entries()) {
      const refused = expect(call(store)).rejects.toMatchObject({ code: "store_unavailable" });
      // The server still waits with each statement whose connection was closed.
      await expect.poll(async () => (await locking.query(waiting)).rowCount).toBe(index + 1);
      await clock.advance(timeoutMilliseconds);
      await refused;
    }
    await locking.query("ROLLBACK");
    for (const { call } of calls) await call(store);
    expect(await pid()).not.toBe(before);
  });

  test("the statements of one function have its time together", async () => {
    const clock = createManualClock();
    const { store, table, client } = await setUpStore(url, { store: { ...time, clock } });
    const [before, between] = [await client(), await client()];
    const waiting = `SELECT FROM pg_locks WHERE relation = '${table}'::regclass AND NOT granted`;
    const countWaiting = async () => (await before.query(waiting)).rowCount;
    await before.query(`BEGIN; LOCK TABLE ${table}`);
    // One statement can change a counter only once.
    const refused = expect(store.increment([change, change])).rejects.toMatchObject({ code: "store_unavailable" });
    await expect.poll(countWaiting).toBe(1);
    const locking = between.query(`BEGIN; LOCK TABLE ${table}`);
    await expect.poll(countWaiting).toBe(2);
    await clock.advance(timeoutMilliseconds - 1);
    await before.query("ROLLBACK");
    // The first statement is done, and the second one waits for the other lock.
    await locking;
    await expect.poll(countWaiting).toBe(1);
    await clock.advance(1);
    await refused;
  });

  test("a full disk makes the functions reject, until it has room again", async () => {
    const { store, pool, schema, table } = await setUpStore(url);
    await store.increment([change]);
    await pool.query(`CREATE FUNCTION ${schema}.full() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE disk_full; END $$;
      CREATE TRIGGER "full" BEFORE INSERT OR UPDATE ON ${table} EXECUTE FUNCTION ${schema}.full()`);
    for (const { call } of calls.filter(({ name }) => name !== "get")) {
      await expect(call(store)).rejects.toMatchObject({ code: "53100" });
    }
    await pool.query(`DROP TRIGGER "full" ON ${table}`);
    expect(await store.increment([change])).toMatchObject([{ count: 2 }]);
  });

  test("a read-only connection makes the functions reject, and is not used again", async () => {
    const { store, pool } = await setUpStore(url, { pool: { max: 1 } });
    await pool.query("SET default_transaction_read_only = on");
    await expect(store.increment([change])).rejects.toMatchObject({ code: "25006" });
    expect(await store.increment([change])).toMatchObject([{ count: 1 }]);
  });
});
