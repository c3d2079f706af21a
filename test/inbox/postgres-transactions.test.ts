import { inspect } from "node:util";
import { createMemoryStore } from "@doorcode/core";
import { createManualClock } from "@doorcode/core/testing";
import { createEventTransactions, createPostgresStore, type PostgresStore } from "@doorcode/postgres";
import { Pool, type PoolConfig } from "pg";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { setUpStore } from "../stores/postgres-setup.ts";
import { createBarrier } from "../support/barrier.ts";
import { holdAnswers } from "../support/held-answers.ts";
import { findPostgres } from "../support/postgres-server.ts";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";
import { instant, messageEvent, typesOf } from "../support/webhook-setup.ts";
import { openOnPostgres } from "./transactions-setup.ts";

const server = await findPostgres();
afterAll(() => server?.close());

/** A pool of the app with its own settings; it ends with the test. */
function openPool(url: string, config: PoolConfig): Pool {
  const appPool = new Pool({ connectionString: url, ...config });
  onTestFinished(() => appPool.end());
  return appPool;
}

/** A pool whose server stops answering when the test says so. */
async function openWiredPool(url: string): Promise<{ readonly appPool: Pool; readonly wire: TcpProxy }> {
  const wire = await startTcpProxy(url);
  const appPool = openPool(wire.url, { max: 1 });
  onTestFinished(() => wire.close());
  return { appPool, wire };
}

const payload = messageEvent("SENT");

describe.skipIf(!server)("a handler in the transaction that marks its event, without an inbox", () => {
  const url = server?.url ?? "";

  test("fails with a reason when it ignored the error of a statement", async () => {
    const { deliver, effects, events } = await openOnPostgres(url, async (_event, { client }) => {
      await client.query("SELECT nonsense").catch(() => undefined);
    });
    const { status, code } = await deliver(payload);
    expect([status, code, await effects()]).toEqual([500, "handler_failed", 0]);
    expect(events).toMatchObject([{ type: "webhook.failed", error: { code: "handler_failed" } }]);
  });

  test("is not run, and the answer is 503, when the transaction cannot begin", async () => {
    const gone = new Pool({ host: "127.0.0.1", port: 1, connectionTimeoutMillis: 1000 });
    const { deliver, effects, events } = await openOnPostgres(url, () => undefined, { appPool: gone });
    const { status, code } = await deliver(payload);
    expect([status, code, await effects()]).toEqual([503, "store_unavailable", 0]);
    expect(typesOf(events)).toEqual(["store.failed"]);
  });

  test("fails without delaying the next event of the message when its writes are refused at COMMIT", async () => {
    let again: readonly unknown[] = [];
    const { deliver, effects, events, pool, schema } = await openOnPostgres(url, async (_event, { client }) => {
      if (again.length > 0) await client.query(`INSERT INTO ${schema}.effects VALUES ($1)`, [...again]);
    });
    await deliver(messageEvent("SENT", instant(1), "msg_2"));
    again = (await pool.query(`SELECT key FROM ${schema}.effects`)).rows.map(({ key }) => key);
    const [quoted] = again;
    const refused = await deliver(payload);
    again = [];
    const done = await deliver(messageEvent("DELIVERED", instant(2)));
    expect([refused.status, refused.code, done.status, await effects()]).toEqual([500, "handler_failed", 204, 2]);
    const { error } = events.find(({ type }) => type === "webhook.failed") as { error?: unknown };
    expect(error).toMatchObject({ message: expect.stringMatching(/23505 effects_key_key/) });
    // PostgreSQL quotes the row in the detail of its error.
    expect(inspect(error, { depth: 9 })).not.toContain(String(quoted));
  });

  test("that never settles frees its connection at its limit", async () => {
    const appPool = openPool(url, { max: 1 });
    const hanging = createBarrier();
    let calls = 0;
    const handle = () => (calls++ === 0 ? hanging.pass() : undefined);
    const { deliver, clock } = await openOnPostgres(url, handle, { appPool, handlerSeconds: 1 });
    const hangs = deliver(payload);
    await hanging.arrived(1);
    await clock.advance(1000);
    const hung = await hangs;
    const other = await deliver(messageEvent("SENT", instant(1), "msg_2"));
    expect([hung.status, other.status]).toEqual([500, 204]);
  });

  test.each(["the mark", "COMMIT"])(
    "is waited for no longer than its time-out when the answer to %s is lost",
    async (lost) => {
      const { appPool, wire } = await openWiredPool(url);
      const clock = createManualClock();
      let isSilent = true;
      let restore = () => {};
      const around = (store: PostgresStore): PostgresStore => ({
        ...store,
        async settle(...given) {
          if (isSilent && lost === "the mark") restore = holdAnswers([wire], clock);
          const settled = await store.settle(...given);
          if (isSilent) restore = holdAnswers([wire], clock);
          return settled;
        },
      });
      const wishes = { appPool, around, transactionClock: clock };
      const { deliver, effects, events, endLeases } = await openOnPostgres(url, () => undefined, wishes);
      const silent = await deliver(payload);
      const open = appPool.totalCount;
      expect([silent.status, silent.code, open]).toEqual([503, "store_unavailable", 0]);
      expect(typesOf(events)).toEqual(["store.failed"]);

      // The next delivery does not wait for the lease to run out.
      await endLeases();
      isSilent = false;
      restore();
      expect([(await deliver(payload)).status, await effects()]).toEqual([204, 1]);
    },
  );

  test("is waited for no longer than its time-out when the answer to a ROLLBACK is lost", async () => {
    const { appPool, wire } = await openWiredPool(url);
    const clock = createManualClock();
    const { store } = await setUpStore(url);
    const transactions = createEventTransactions({ pool: appPool, store, clock });
    const lostLease = async () => {
      holdAnswers([wire], clock);
      return false;
    };
    await expect(transactions.run(lostLease, new AbortController().signal)).rejects.toThrow(/did not end/);
    expect(appPool.totalCount).toBe(0);
  });

  test("fails when PostgreSQL closes its idle transaction, and its event comes again", async () => {
    let isSlow = true;
    const { deliver, effects, pool } = await openOnPostgres(url, async (_event, { client }) => {
      if (!isSlow) return;
      await client.query("SET LOCAL idle_in_transaction_session_timeout = 20");
      const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
      const lives = async () =>
        (await pool.query("SELECT FROM pg_stat_activity WHERE pid = $1", [rows[0].pid])).rowCount;
      await expect.poll(lives).toBe(0);
    });
    const closed = await deliver(payload);
    isSlow = false;
    const done = await deliver(payload);
    expect([closed.status, closed.code, done.status, await effects()]).toEqual([500, "handler_failed", 204, 1]);
  });

  test("fails in a session that began on a read-only server, and frees the pool of it", async () => {
    const appPool = openPool(url, { max: 1 });
    await appPool.query("SET default_transaction_read_only = on");
    const { deliver, effects } = await openOnPostgres(url, () => undefined, { appPool });
    const refused = await deliver(payload);
    const done = await deliver(payload);
    expect([refused.status, refused.code, done.status, await effects()]).toEqual([500, "handler_failed", 204, 1]);
  });

  test("is marked although its lease is renewed meanwhile, under any default isolation of the database", async () => {
    const appPool = openPool(url, { options: "-c default_transaction_isolation=serializable" });
    const { deliver, effects, pool, table } = await openOnPostgres(
      url,
      () => pool.query(`UPDATE ${table} SET leased_until = leased_until + interval '1 second'`),
      { appPool },
    );
    const { status } = await deliver(payload);
    expect([status, await effects()]).toEqual([204, 1]);
  });

  test("is run only once when the conflict shows at COMMIT, because its lease is no longer held", async () => {
    const other = openPool(url, { max: 1 });
    let ready: Promise<unknown> | undefined;
    let runs = 0;
    const around = (store: PostgresStore): PostgresStore => ({
      ...store,
      async settle(...given) {
        const settled = await store.settle(...given);
        await ready;
        await other.query("COMMIT");
        return settled;
      },
    });
    const opening = "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE";
    const { deliver, effects, pool, schema } = await openOnPostgres(
      url,
      async (_event, { client }) => {
        runs++;
        await client.query(`SELECT FROM ${schema}.others`);
        ready = other.query(`BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT FROM ${schema}.effects;
          INSERT INTO ${schema}.others VALUES (1)`);
      },
      { around, opening },
    );
    await pool.query(`CREATE TABLE ${schema}.others (id int)`);
    const refused = await deliver(payload);
    expect([refused.status, refused.code, await effects(), runs]).toEqual([500, "handler_failed", 0, 1]);
  });

  test.each([
    ["open", "SELECT 1"],
    ["failed", "SELECT nonsense"],
  ])("refuses a connection with a transaction that is still %s, and reports it", async (_state, statement) => {
    const appPool = openPool(url, { max: 1 });
    const forgetful = await appPool.connect();
    await forgetful.query("BEGIN");
    await forgetful.query(statement).catch(() => undefined);
    forgetful.release();
    const { deliver, effects, events } = await openOnPostgres(url, () => undefined, { appPool });
    const refused = await deliver(payload);
    expect([refused.status, refused.code, await effects()]).toEqual([503, "store_unavailable", 0]);
    expect(events).toMatchObject([
      { type: "store.failed", error: { message: expect.stringMatching(/COMMIT or ROLLBACK/) } },
    ]);
  });
});

test("createEventTransactions refuses a wrong pool, store or time-out", () => {
  const wrong = JSON.parse('{ "pool": {}, "store": {} }');
  expect(() => createEventTransactions(wrong)).toThrow(TypeError);
  const memory = createMemoryStore();
  expect(() => createEventTransactions({ ...wrong, store: memory })).toThrow(/new Pool/);
  const pool = new Pool();
  expect(() => createEventTransactions({ ...wrong, pool, store: memory })).toThrow(/createPostgresStore/);
  const store = createPostgresStore({ pool, cleaning: false });
  expect(() => createEventTransactions({ pool, store, timeoutSeconds: 0 })).toThrow(/timeoutSeconds/);
});
