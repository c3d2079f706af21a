import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, type WebhookEvent, type WebhookHandler } from "@doorcode/core";
import { createEventTransactions, createSqliteStore, type EventTransactionScope } from "@doorcode/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { host } from "../support/hosts.ts";
import { messageEvent, setUpWebhooks, typesOf } from "../support/webhook-setup.ts";
import { openSqliteFile } from "./open-engine.ts";

/** A file with tables of the app. It is removed with the test. */
function openFile() {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-transactions-"));
  const store = createSqliteStore({ file: join(folder, "doorcode.sqlite"), timeoutSeconds: 0.2 });
  const database = openSqliteFile(store.file);
  database.exec(`CREATE TABLE effects (key TEXT UNIQUE);
    CREATE TABLE users (id INTEGER PRIMARY KEY);
    CREATE TABLE notes (user_id INTEGER REFERENCES users (id) DEFERRABLE INITIALLY DEFERRED);
    CREATE TABLE secrets (phone TEXT);
    CREATE TRIGGER refuse BEFORE INSERT ON secrets BEGIN SELECT RAISE(ABORT, '+4915112345678 is refused'); END`);
  onTestFinished(async () => {
    await store.close();
    database.close();
    rmSync(folder, { recursive: true });
  });
  return { store, database };
}

/** An app without an inbox whose handler writes the key of its event, and then does what the test says. */
async function setUp(handle: WebhookHandler<WebhookEvent, EventTransactionScope>, handlerSeconds = 60) {
  const { store, database } = openFile();
  const { deliver, events, clock } = await setUpWebhooks<EventTransactionScope>(host, {
    name: "doorcode",
    store,
    handlerSeconds,
    transactions: createEventTransactions({ store }),
    async handle(event, context) {
      context.write((inside) => void inside.prepare("INSERT INTO effects VALUES (?)").run(event.key));
      await handle(event, context);
    },
  });
  const effects = () => database.prepare("SELECT key FROM effects").all().length;
  return { deliver, effects, events, clock, store, database };
}

const payload = messageEvent("SENT");

describe("a handler whose writes are in the transaction that marks its event, in a file of SQLite", () => {
  test("takes effect exactly once when a hundred deliveries race", async () => {
    const { deliver, effects } = await setUp(() => undefined);
    const answers = await Promise.all(Array.from({ length: 100 }, () => deliver(payload)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    expect(effects()).toBe(1);
  });

  test("takes no effect when it fails after its writes, and one when the event comes again", async () => {
    let isBroken = true;
    const { deliver, effects, events } = await setUp(() => {
      if (isBroken) throw new Error("too late");
    });
    const failed = await deliver(payload);
    const before = effects();
    isBroken = false;
    const done = await deliver(payload);
    expect([failed.status, before, done.status, effects()]).toEqual([500, 0, 204, 1]);
    expect(typesOf(events)).toEqual(["webhook.failed", "webhook.handled"]);
  });

  test("writes in the order of its calls, and reads what it has written", async () => {
    const { deliver, database } = await setUp((_event, { write }) => {
      write((inside) => void inside.exec("INSERT INTO users SELECT count(*) FROM effects"));
      write((inside) => void inside.exec("INSERT INTO users SELECT max(id) + 1 FROM users"));
    });
    await deliver(payload);
    expect(database.prepare("SELECT id FROM users").all()).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  test("lets logins and other processes write while it works", async () => {
    const gate = createBarrier();
    const { deliver, effects, store, database } = await setUp(() => gate.pass());
    const answer = deliver(payload);
    await gate.arrived(1);
    database.exec("INSERT INTO users VALUES (7)");
    const counted = await store.increment([{ key: "login", by: 1, ttlSeconds: 60 }]);
    gate.open();
    expect([counted[0]?.count, (await answer).status, effects()]).toEqual([1, 204, 1]);
  });

  test("W12: takes no effect when another process took the event over meanwhile", async () => {
    const gate = createBarrier();
    const { deliver, effects, events, store, database } = await setUp(() => gate.pass());
    const slow = deliver(payload);
    await gate.arrived(1);
    database.exec("UPDATE doorcode_entries SET leased_until = 0");
    const key = "doorcode:webhook:message.status.update:msg_1";
    const { held } = await store.lease(key, "other", { leaseSeconds: 60, ttlSeconds: 60 });
    gate.open();
    expect([held, (await slow).status, effects()]).toEqual([true, 503, 0]);
    expect(typesOf(events)).toEqual(["webhook.superseded"]);
  });

  test("W16: that never settles fails at its limit, and writes nothing, however late it returns", async () => {
    const hanging = createBarrier();
    let calls = 0;
    const handle = () => (calls++ === 0 ? hanging.pass() : undefined);
    const { deliver, effects, events, clock } = await setUp(handle, 1);
    const hangs = deliver(payload);
    await hanging.arrived(1);
    await clock.advance(1000);
    const hung = await hangs;
    hanging.open();
    await clock.advance(0);
    const before = effects();
    const done = await deliver(payload);
    expect([hung.status, before, done.status, effects()]).toEqual([500, 0, 204, 1]);
    expect(events[0]).toMatchObject({ type: "webhook.failed", error: { name: "TimeoutError" } });
  });

  test.each<[string, WebhookHandler<WebhookEvent, EventTransactionScope>, RegExp]>([
    [
      "breaks a constraint",
      (_event, { write }) => write((inside) => void inside.exec("INSERT INTO effects SELECT key FROM effects")),
      /refused: UNIQUE constraint failed: effects\.key\.$/,
    ],
    [
      "breaks a deferred constraint",
      (_event, { write }) => write((inside) => void inside.exec("INSERT INTO notes VALUES (4711)")),
      /refused: FOREIGN KEY constraint failed\.$/,
    ],
    [
      "is refused by a trigger that quotes a number",
      (_event, { write }) => write((inside) => void inside.exec("INSERT INTO secrets VALUES ('')")),
      /refused: SQLite says "constraint failed"\.$/,
    ],
    [
      "throws an error of its own",
      (_event, { write }) =>
        write(() => {
          throw new Error("+4915112345678 is unknown");
        }),
      /refused: write\(\) was given work that threw an error\.$/,
    ],
    [
      "throws what is no error",
      (_event, { write }) =>
        write(() => {
          throw undefined;
        }),
      /refused: write\(\) was given work that threw an error\.$/,
    ],
    [
      "begins a transaction",
      (_event, { write }) => write((inside) => inside.exec("BEGIN")),
      /refused: SQLite says "SQL logic error"/,
    ],
    [
      "begins another transaction after ROLLBACK",
      (_event, { write }) => write((inside) => inside.exec("ROLLBACK; BEGIN; INSERT INTO effects VALUES ('x')")),
      /ended its transaction\. Leave BEGIN, COMMIT and ROLLBACK to the kit/,
    ],
    [
      "ends its transaction by ROLLBACK",
      (_event, { write }) => write((inside) => inside.exec("ROLLBACK")),
      /ended its transaction\. Leave BEGIN, COMMIT and ROLLBACK to the kit/,
    ],
    [
      "is async",
      (_event, { write }) =>
        write(async (inside) => {
          inside.exec("INSERT INTO effects VALUES ('x')");
          throw new Error("It does not end the process.");
        }),
      /async function/,
    ],
  ])("fails, is told why without a value, and has written nothing, when it %s", async (_what, handle, message) => {
    let isBroken = true;
    const { deliver, effects, events, database } = await setUp((event, context) => {
      if (isBroken) return handle(event, context);
    });
    const { status, code } = await deliver(payload);
    const before = effects();
    isBroken = false;
    const done = await deliver(payload);
    expect([status, code, before, done.status, effects()]).toEqual([500, "handler_failed", 0, 204, 1]);
    const { error } = events[0] as { error?: { message: string } };
    expect(error).toMatchObject({ code: "handler_failed", message: expect.stringMatching(message) });
    expect(error?.message).not.toMatch(/\d{4}/);
    expect(database.isTransaction).toBe(false);
  });

  test("fails, and is told why, when it ends the transaction itself by COMMIT", async () => {
    const { deliver, events } = await setUp((_event, { write }) => write((inside) => inside.exec("COMMIT")));
    const { status, code } = await deliver(payload);
    expect([status, code]).toEqual([500, "handler_failed"]);
    expect(events).toMatchObject([{ error: { message: expect.stringMatching(/ended its transaction/) } }]);
  });

  test("may use a SAVEPOINT, and take a part of its writes back", async () => {
    const { deliver, effects, database } = await setUp((_event, { write }) =>
      write((inside) => inside.exec("SAVEPOINT part; INSERT INTO users VALUES (1); ROLLBACK TO part")),
    );
    expect([(await deliver(payload)).status, effects()]).toEqual([204, 1]);
    expect(database.prepare("SELECT id FROM users").all()).toEqual([]);
  });

  test("is told when it hands over a write after it has returned", async () => {
    const late = createBarrier();
    const thrown = Promise.withResolvers<unknown>();
    const { deliver, effects } = await setUp((_event, { write }) => {
      void late
        .pass()
        .then(() => write(() => expect.fail("It is not run.")))
        .catch(thrown.resolve);
    });
    await deliver(payload);
    late.open();
    expect(await thrown.promise).toMatchObject({ message: expect.stringMatching(/the handler has returned/) });
    expect(effects()).toBe(1);
  });

  test("is not marked, and the answer is 503, while another process has the file; the event comes again", async () => {
    const gate = createBarrier();
    const { deliver, effects, events, database } = await setUp(() => gate.pass());
    const answer = deliver(payload);
    await gate.arrived(1);
    database.exec("BEGIN IMMEDIATE");
    gate.open();
    const busy = await answer;
    database.exec("COMMIT");
    database.exec("UPDATE doorcode_entries SET leased_until = 0");
    const done = await deliver(payload);
    expect([busy.status, busy.code, done.status, effects()]).toEqual([503, "store_unavailable", 204, 1]);
    expect(typesOf(events)).toEqual(["store.failed", "webhook.handled"]);
  });
});

test("createEventTransactions rejects immediately when its signal aborts, and lets nothing be written after that", async () => {
  const { store, database } = openFile();
  const { run } = createEventTransactions({ store });
  await store.lease("key", "token", { leaseSeconds: 60, ttlSeconds: 60 });
  const abort = new AbortController();
  const gate = createBarrier();
  const settled = Promise.withResolvers<unknown>();
  const running = run(async ({ write }, settle) => {
    write((inside) => void inside.exec("INSERT INTO effects VALUES ('x')"));
    await gate.pass();
    const settling = settle("key", "token", "value", { ttlSeconds: 60 });
    settled.resolve(settling.catch((error: unknown) => error));
    return settling;
  }, abort.signal);
  await gate.arrived(1);
  abort.abort(new Error("given up"));
  await expect(running).rejects.toThrow("given up");
  gate.open();
  expect(await settled.promise).toBeInstanceOf(Error);
  expect([database.prepare("SELECT * FROM effects").all(), await store.get(["key"])]).toEqual([[], [undefined]]);
});

test("createEventTransactions refuses a store that is not in a file of SQLite", () => {
  const says = /createEventTransactions: store: expected the store of createSqliteStore/;
  expect(() => createEventTransactions({ store: createMemoryStore() as never })).toThrow(says);
  expect(() => createEventTransactions({} as never)).toThrow(says);
});
