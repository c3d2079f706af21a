import { createDoorcode, createMemoryStore, type DoorcodeEvent, type WebhookHandler } from "@doorcode/core";
import { createEventTransactions, type TransactionScope } from "@doorcode/postgres";
import { Pool } from "pg";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { openBench } from "../stores/postgres-bench.ts";
import { createBarrier } from "../support/barrier.ts";
import { hosts } from "../support/hosts.ts";
import { findPostgres, startPglite } from "../support/postgres-server.ts";
import { messageEvent, signed, typesOf } from "../webhooks/webhook-bench.ts";
import { answerTo, beginPost } from "../webhooks/wire.ts";

const server = await findPostgres();
afterAll(() => server?.close());

/** An app without an inbox whose handlers run in transactions. */
async function setUp(url: string, handle: WebhookHandler<unknown, TransactionScope>, appPool?: Pool) {
  const { pool, store, schema, advance, close } = await openBench(url);
  await pool.query(`CREATE TABLE ${schema}.effects (key text)`);
  const events: DoorcodeEvent[] = [];
  const doorcode = createDoorcode({
    store,
    onEvent: (event) => void events.push(event),
    webhooks: {
      secret: "whk_of_the_tests",
      transactions: createEventTransactions({ pool: appPool ?? pool, store }),
      on: {
        "message.status.update": async (event, context) => {
          await context.client.query(`INSERT INTO ${schema}.effects VALUES ($1)`, [event.key]);
          await handle(event, context);
        },
      },
    },
  });
  const app = await hosts[0]?.serve(doorcode, { login: false, webhooks: true });
  onTestFinished(async () => {
    await app?.close();
    await close();
  });
  async function deliver(payload: unknown) {
    const body = JSON.stringify(payload);
    const post = beginPost(`${app?.url}/webhooks`, [
      ...signed(body, Math.floor(Date.now() / 1000)),
      ["content-length", String(Buffer.byteLength(body))],
    ]);
    post.end(body);
    return answerTo(post);
  }
  const effects = async () => (await pool.query(`SELECT key FROM ${schema}.effects`)).rowCount;
  return { deliver, effects, events, advance, store };
}

const payload = messageEvent("SENT");

describe.skipIf(!server)("a handler in the transaction that marks its event, without an inbox", () => {
  const url = server?.url ?? "";

  test("has its effect exactly once when a hundred deliveries race", async () => {
    const { deliver, effects } = await setUp(url, () => undefined);
    const answers = await Promise.all(Array.from({ length: 100 }, () => deliver(payload)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    expect(await effects()).toBe(1);
  });

  test("has none when it fails after its writes, and one when the event comes again", async () => {
    let isBroken = true;
    const { deliver, effects, events } = await setUp(url, () => {
      if (isBroken) throw new Error("too late");
    });
    const failed = await deliver(payload);
    const before = await effects();
    isBroken = false;
    const done = await deliver(payload);
    expect([failed.status, before, done.status, await effects()]).toEqual([500, 0, 204, 1]);
    expect(typesOf(events)).toEqual(["webhook.failed", "webhook.handled"]);
  });

  test("fails, and is told why, when it passed over the error of a statement", async () => {
    const { deliver, effects, events } = await setUp(url, async (_event, { client }) => {
      await client.query("SELECT nonsense").catch(() => undefined);
    });
    const { status, code } = await deliver(payload);
    expect([status, code, await effects()]).toEqual([500, "handler_failed", 0]);
    expect(events).toMatchObject([{ type: "webhook.failed", error: { code: "handler_failed" } }]);
  });

  test("W12: has none when another took the event over while it worked", async () => {
    const gate = createBarrier();
    let runs = 0;
    const { deliver, effects, events, advance, store } = await setUp(url, () =>
      ++runs === 1 ? gate.pass() : undefined,
    );
    const slow = deliver(payload);
    await gate.arrived(1);
    await advance(15_000);
    // Another process of the app takes the message, as its receiver would.
    const key = "doorcode:webhook:message.status.update:msg_1";
    const { held } = await store.lease(key, "other", { leaseSeconds: 60, ttlSeconds: 60 });
    gate.open();
    const late = await slow;
    expect([held, late.status, await effects()]).toEqual([true, 503, 0]);
    expect(typesOf(events)).toEqual(["webhook.superseded"]);
  });

  test("is answered 503 when the transaction cannot be begun, and nothing was done", async () => {
    const gone = new Pool({ host: "127.0.0.1", port: 1, connectionTimeoutMillis: 1000 });
    const { deliver, effects, events } = await setUp(url, () => undefined, gone);
    const { status, code } = await deliver(payload);
    expect([status, code, await effects()]).toEqual([503, "store_unavailable", 0]);
    expect(typesOf(events)).toEqual(["store.failed"]);
  });
});

test("transactions work on PGlite too", async () => {
  const pglite = await startPglite();
  onTestFinished(() => pglite.close());
  const { deliver, effects } = await setUp(pglite.url, () => undefined);
  const answers = [await deliver(payload), await deliver(payload)];
  expect([answers.map(({ status }) => status), await effects()]).toEqual([[204, 204], 1]);
});

test("createEventTransactions refuses what is no pool and no store", () => {
  const wrong = JSON.parse('{ "pool": {}, "store": {} }');
  expect(() => createEventTransactions(wrong)).toThrow(TypeError);
  const memory = createMemoryStore();
  expect(() => createEventTransactions({ ...wrong, store: memory })).toThrow(/new Pool/);
});
