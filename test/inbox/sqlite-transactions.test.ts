import { createMemoryStore, type WebhookEvent, type WebhookHandler } from "@doorcode/core";
import { createEventTransactions, type EventTransactionScope } from "@doorcode/sqlite";
import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { messageEvent, typesOf } from "../support/webhook-setup.ts";
import { openOnSqlite, openTransactionFile } from "./transactions-setup.ts";

const payload = messageEvent("SENT");

describe("a handler whose writes are in the transaction that marks its event, in a file of SQLite", () => {
  test("writes in the order of its calls, and reads what it has written", async () => {
    const { deliver, database } = await openOnSqlite((_event, { write }) => {
      write((inside) => void inside.exec("INSERT INTO users SELECT count(*) FROM effects"));
      write((inside) => void inside.exec("INSERT INTO users SELECT max(id) + 1 FROM users"));
    });
    await deliver(payload);
    expect(database.prepare("SELECT id FROM users").all()).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  test("lets logins and other processes write while it works", async () => {
    const gate = createBarrier();
    const { deliver, effects, store, database } = await openOnSqlite(() => gate.pass());
    const answer = deliver(payload);
    await gate.arrived(1);
    database.exec("INSERT INTO users VALUES (7)");
    const counted = await store.increment([{ key: "login", by: 1, ttlSeconds: 60 }]);
    gate.open();
    expect([counted[0]?.count, (await answer).status, await effects()]).toEqual([1, 204, 1]);
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
      "throws what is no error, and cannot be read",
      (_event, { write }) => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        write(() => {
          throw proxy;
        });
      },
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
    const { deliver, effects, events, database } = await openOnSqlite((event, context) => {
      if (isBroken) return handle(event, context);
    });
    const { status, code } = await deliver(payload);
    const before = await effects();
    isBroken = false;
    const done = await deliver(payload);
    expect([status, code, before, done.status, await effects()]).toEqual([500, "handler_failed", 0, 204, 1]);
    const { error } = events[0] as { error?: { message: string } };
    expect(error).toMatchObject({ code: "handler_failed", message: expect.stringMatching(message) });
    expect(error?.message).not.toMatch(/\d{4}/);
    expect(database.isTransaction).toBe(false);
  });

  test("may use a SAVEPOINT, and take a part of its writes back", async () => {
    const { deliver, effects, database } = await openOnSqlite((_event, { write }) =>
      write((inside) => inside.exec("SAVEPOINT part; INSERT INTO users VALUES (1); ROLLBACK TO part")),
    );
    expect([(await deliver(payload)).status, await effects()]).toEqual([204, 1]);
    expect(database.prepare("SELECT id FROM users").all()).toEqual([]);
  });

  test("is told when it hands over a write after it has returned", async () => {
    const late = createBarrier();
    const thrown = Promise.withResolvers<unknown>();
    const { deliver, effects } = await openOnSqlite((_event, { write }) => {
      void late
        .pass()
        .then(() => write(() => expect.fail("It is not run.")))
        .catch(thrown.resolve);
    });
    await deliver(payload);
    late.open();
    expect(await thrown.promise).toMatchObject({ message: expect.stringMatching(/the handler has returned/) });
    expect(await effects()).toBe(1);
  });

  test("is not marked, and the answer is 503, while another process has the file; the event comes again", async () => {
    const gate = createBarrier();
    const { deliver, effects, events, database } = await openOnSqlite(() => gate.pass());
    const answer = deliver(payload);
    await gate.arrived(1);
    database.exec("BEGIN IMMEDIATE");
    gate.open();
    const busy = await answer;
    database.exec("COMMIT");
    database.exec("UPDATE doorcode_entries SET leased_until = 0");
    const done = await deliver(payload);
    expect([busy.status, busy.code, done.status, await effects()]).toEqual([503, "store_unavailable", 204, 1]);
    expect(typesOf(events)).toEqual(["store.failed", "webhook.handled"]);
  });

  test("is not to blame when the file is full: the answer is 503, and the event comes again", async () => {
    let isFull = true;
    const { deliver, effects, events, database } = await openOnSqlite((_event, { write }) =>
      write((inside) => {
        inside.exec(`PRAGMA max_page_count = ${isFull ? 1 : 100_000}`);
        if (isFull) inside.prepare("INSERT INTO effects VALUES (?)").run("x".repeat(100_000));
      }),
    );
    const full = await deliver(payload);
    isFull = false;
    database.exec("UPDATE doorcode_entries SET leased_until = 0");
    const done = await deliver(payload);
    expect([full.status, full.code, done.status, await effects()]).toEqual([503, "store_unavailable", 204, 1]);
    expect(typesOf(events)).toEqual(["store.failed", "webhook.handled"]);
  });
});

test("createEventTransactions rejects immediately when its signal aborts, and lets nothing be written after that", async () => {
  const { store, database } = openTransactionFile();
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
