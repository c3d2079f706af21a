import { createHash } from "node:crypto";
import { createDoorcode, createMemoryStore, DoorcodeError } from "@doorcode/core";
import { createManualClock } from "@doorcode/core/testing";
import { describe, expect, test } from "vitest";
import { unused, unusedInbox } from "../../packages/core/test/webhooks/unused-inbox.ts";
import { createBarrier } from "../support/barrier.ts";
import { instant, messageEvent, secondsOf, signed, statuses, typesOf } from "../support/webhook-setup.ts";
import { startEdge, startLocalWorker } from "./edge.ts";
import { setUpSqlite } from "./inbox-setup.ts";

/* What the kit does with any inbox. The contract shows that inboxes do not differ. */
describe("webhooks with an inbox", () => {
  test("W9: are acknowledged without a handler, and handled by a worker that comes later", async () => {
    const setup = await setUpSqlite();
    const edge = await startEdge(setup);
    const answer = await edge.deliver(messageEvent("SENT"));
    const { calls, published } = await startLocalWorker(setup);
    await published.reached(({ type }) => type === "webhook.handled");
    await setup.inbox.close();

    expect(answer.status).toBe(204);
    expect(edge.calls).toEqual([]);
    expect(typesOf(edge.events)).toEqual(["webhook.persisted"]);
    expect(statuses(calls.entries)).toEqual(["SENT"]);
  });

  test("an event whose handler fails too often becomes a dead letter with its error, and is handled when it is replayed", async () => {
    const setup = await setUpSqlite();
    const edge = await startEdge(setup);
    let isBroken = true;
    const handle = () => {
      if (isBroken) throw new DoorcodeError("service_unavailable", { message: "No way to +4915112345678 now." });
    };
    const { calls, published, doorcode } = await startLocalWorker(setup, handle, { attempts: 3 });
    await edge.deliver(messageEvent("SENT"));
    await published.reached(({ type }) => type === "webhook.dead_lettered");
    await expect.poll(() => doorcode.deadLetters.list()).toHaveLength(1);
    const [letter] = await doorcode.deadLetters.list();
    isBroken = false;
    const replayed = await doorcode.deadLetters.replay(letter?.key ?? "");
    await published.reached(({ type }) => type === "webhook.handled");

    expect(letter).toMatchObject({
      key: calls.entries[0]?.key,
      event: { kind: "message.status.update", data: { status: "SENT" } },
      error: { name: "DoorcodeError", code: "service_unavailable", message: "No way to +[…] now." },
    });
    expect(letter?.failedAt).toBeInstanceOf(Date);
    expect([replayed, calls.entries.length]).toEqual([true, 4]);
    expect(await doorcode.deadLetters.list()).toEqual([]);
  });

  test("W16: a handler that never settles is aborted and fails, and blocks no other event", async () => {
    const setup = await setUpSqlite();
    const edge = await startEdge(setup);
    const hanging = createBarrier();
    const signals: AbortSignal[] = [];
    const handle = async ({ data }: { data: Record<string, unknown> }, { signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      if (data.message_id === "msg_1") await hanging.pass();
    };
    const clock = createManualClock();
    const options = { handlerSeconds: 1, attempts: 1, clock };
    const { published, doorcode } = await startLocalWorker(setup, handle, options);
    await edge.deliver(messageEvent("SENT", instant(1), "msg_1"));
    await hanging.arrived(1);
    await edge.deliver(messageEvent("SENT", instant(1), "msg_2"));
    await published.reached(({ type }) => type === "webhook.handled");
    await clock.advance(999);
    const early = signals[0]?.aborted;
    await clock.advance(1);
    const atLimit = signals[0]?.aborted;
    // The worker gives a handler two more seconds, as many as its event may have waited for others of its message.
    await clock.advance(2000);
    await published.reached(({ type }) => type === "webhook.dead_lettered");
    const dead = () => doorcode.deadLetters.list();
    await expect.poll(dead).toMatchObject([{ error: { name: "TimeoutError" } }]);
    hanging.open();

    expect([early, atLimit]).toEqual([false, true]);
    expect(signals[0]?.reason).toMatchObject({ name: "TimeoutError" });
  });

  test("a signed body that is not an event is acknowledged, and becomes a dead letter unchanged", async () => {
    const setup = await setUpSqlite();
    const edge = await startEdge(setup);
    const { published, doorcode } = await startLocalWorker(setup);
    const body = "not json \u0000";
    const answer = await edge.send(signed(body, secondsOf(edge.clock)), body);
    const key = createHash("sha256").update(body).digest("hex");
    await published.reached(({ type }) => type === "webhook.dead_lettered");
    const dead = () => doorcode.deadLetters.list();
    await expect
      .poll(dead)
      .toMatchObject([{ key, body, event: { unreadable: "not_json" }, error: { code: "not_json" } }]);
    expect(answer.status).toBe(204);
  });
});

describe("an inbox that cannot store an event", () => {
  test("in time makes the answer 503 four seconds after the first byte", async () => {
    const clock = createManualClock();
    const silent = { ...unusedEngine.inbox, add: () => Promise.withResolvers<void>().promise };
    const edge = await startEdge({ ...unusedEngine, store: createMemoryStore(), inbox: silent }, { clock });
    const { answer } = await edge.begin(messageEvent("SENT"));
    await clock.advance(3999);
    const early = await Promise.race([answer, clock.advance(0)]);
    await clock.advance(1);

    expect(early).toBeUndefined();
    expect((await answer).status).toBe(503);
    expect(typesOf(edge.events)).toEqual(["inbox.failed"]);
  });
});

/** An engine for tests that use parts of it only. */
const unusedEngine = {
  inbox: unusedInbox,
  transactions: undefined,
  effect: unused,
  effects: unused,
  close: async () => undefined,
};

describe("the kit without an inbox", () => {
  const secret = "whk_of_the_tests";

  test("says what to configure when work() or its dead letters are called", async () => {
    const doorcode = createDoorcode({ webhooks: { secret } });
    const says = /webhooks: \{ inbox \}.*createBullInbox.*createPostgresInbox.*createSqliteInbox/;
    await expect(doorcode.work()).rejects.toThrow(TypeError);
    await expect(doorcode.work()).rejects.toThrow(says);
    expect(() => doorcode.deadLetters).toThrow(says);
  });

  test("refuses an inbox without a shared store, and wrong options", () => {
    const { inbox } = unusedEngine;
    expect(() => createDoorcode({ webhooks: { secret, inbox } })).toThrow(/webhooks.inbox needs a store/);
    const store = createMemoryStore();
    const attempts = { secret, inbox, attempts: 0 };
    expect(() => createDoorcode({ store, webhooks: attempts })).toThrow(/webhooks.attempts: expected a whole number/);
    const retrySeconds = { secret, inbox, retrySeconds: -1 };
    expect(() => createDoorcode({ store, webhooks: retrySeconds })).toThrow(/webhooks.retrySeconds: expected seconds/);
    const wrong = JSON.parse('{ "inbox": { "add": 1 } }');
    expect(() => createDoorcode({ store, webhooks: { secret, ...wrong } })).toThrow(/webhooks.inbox/);
  });
});
