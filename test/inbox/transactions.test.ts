import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { findPostgres, startPglite } from "../support/postgres-server.ts";
import { messageEvent, typesOf } from "../support/webhook-setup.ts";
import type { EffectScope } from "./open-engine.ts";
import { openOnPostgres, openOnSqlite } from "./transactions-setup.ts";

const server = await findPostgres();
afterAll(() => server?.close());

const payload = messageEvent("SENT");

/** The handler of a test: what it does after it has written its effect. */
type Handle = (event: unknown, scope: EffectScope) => unknown;

const onSqlite = { name: "SQLite", open: (handle: Handle, options = {}) => openOnSqlite(handle, options) };
const onPostgres = (url: string) => ({
  name: "PostgreSQL",
  open: (handle: Handle, options = {}) => openOnPostgres(url, handle, options),
});

describe.each([onSqlite, ...(server ? [onPostgres(server.url)] : [])])(
  "a handler in the transaction that marks its event, on $name",
  ({ open }) => {
    test("takes effect exactly once when a hundred deliveries race", async () => {
      const { deliver, effects } = await open(() => undefined);
      const answers = await Promise.all(Array.from({ length: 100 }, () => deliver(payload)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
      expect(await effects()).toBe(1);
    });

    test("takes no effect when it fails after its writes, and one when the event comes again", async () => {
      let isBroken = true;
      const { deliver, effects, events } = await open(() => {
        if (isBroken) throw new Error("too late");
      });
      const failed = await deliver(payload);
      const before = await effects();
      isBroken = false;
      const done = await deliver(payload);
      expect([failed.status, before, done.status, await effects()]).toEqual([500, 0, 204, 1]);
      expect(typesOf(events)).toEqual(["webhook.failed", "webhook.handled"]);
    });

    test("W12: takes no effect when another process took the event over meanwhile", async () => {
      const gate = createBarrier();
      const { deliver, effects, events, store, endLeases } = await open(() => gate.pass());
      const slow = deliver(payload);
      await gate.arrived(1);
      await endLeases();
      // Another process of the app takes the message, as its receiver would.
      const key = "doorcode:webhook:message.status.update:msg_1";
      const { held } = await store.lease(key, "other", { leaseSeconds: 60, ttlSeconds: 60 });
      gate.open();
      expect([held, (await slow).status, await effects()]).toEqual([true, 503, 0]);
      expect(typesOf(events)).toEqual(["webhook.superseded"]);
    });

    test("W16: that never settles fails at its limit, and writes nothing, however late it returns", async () => {
      const hanging = createBarrier();
      let calls = 0;
      const handle = () => (calls++ === 0 ? hanging.pass() : undefined);
      const { deliver, effects, events, clock } = await open(handle, { handlerSeconds: 1 });
      const hangs = deliver(payload);
      await hanging.arrived(1);
      await clock.advance(1000);
      const hung = await hangs;
      hanging.open();
      await clock.advance(0);
      const before = await effects();
      const done = await deliver(payload);
      expect([hung.status, before, done.status, await effects()]).toEqual([500, 0, 204, 1]);
      expect(events[0]).toMatchObject({ type: "webhook.failed", error: { name: "TimeoutError" } });
    });

    test.each(["COMMIT", "ROLLBACK"])(
      "fails, and is told why, when it ends the transaction itself by %s",
      async (end) => {
        const { deliver, events } = await open((_event, { client, write }) => {
          write?.((inside) => inside.exec(end));
          return client?.query(end);
        });
        const { status, code } = await deliver(payload);
        expect([status, code]).toEqual([500, "handler_failed"]);
        expect(events).toMatchObject([{ error: { message: expect.stringMatching(/ended its transaction/) } }]);
      },
    );
  },
);

test("transactions work on PGlite too", { timeout: 60_000 }, async () => {
  const pglite = await startPglite();
  onTestFinished(() => pglite.close());
  const { deliver, effects } = await onPostgres(pglite.url).open(() => undefined);
  const answers = [await deliver(payload), await deliver(payload)];
  expect([answers.map(({ status }) => status), await effects()]).toEqual([[204, 204], 1]);
});
