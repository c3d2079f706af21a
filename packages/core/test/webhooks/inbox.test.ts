import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import type { DoorcodeEvent } from "../../src/doorcode-event.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { createManualClock, type ManualClock } from "../../src/testing.ts";
import { createChangeListeners } from "../../src/util/change-listeners.ts";
import { summarizeError } from "../../src/util/error-summary.ts";
import { DoorcodeError } from "../../src/util/errors.ts";
import { createEntryHandler } from "../../src/webhooks/entry-handler.ts";
import { type EventTransactions, settlePatiently, withoutTransactions } from "../../src/webhooks/event-transactions.ts";
import type { Inbox, InboxEntry, InboxVerdict } from "../../src/webhooks/inbox.ts";
import { createInboxReceiver } from "../../src/webhooks/inbox-receiver.ts";
import { readEntity } from "../../src/webhooks/stored-entity.ts";
import { bodyOf, messageEvent } from "./receiver-setup.ts";

const unused = () => Promise.reject(new Error("Not used in this test."));
const noInbox: Inbox = { add: unused, work: unused, deadLetters: unused, replay: unused, close: async () => undefined };

describe("a receiver with an inbox", () => {
  function setUpReceiver(add: Inbox["add"]) {
    const clock = createManualClock();
    const published: DoorcodeEvent[] = [];
    const receiver = createInboxReceiver({
      inbox: { ...noInbox, add },
      clock,
      publish: (event) => void published.push(event),
    });
    return { clock, published, receiver, now: { receivedAtMilliseconds: clock.now() } };
  }

  test("stores the key and the body of an event before it acknowledges", async () => {
    const kept: InboxEntry[] = [];
    const { receiver, now, published, clock } = setUpReceiver(async (entry) => void kept.push(entry));
    const event = messageEvent("SENT", 1);
    expect(await receiver.receive(event, now)).toBe("handled");
    expect(kept).toEqual([{ key: event.key, body: new TextDecoder().decode(bodyOf(event.payload)) }]);
    expect(published).toEqual([{ type: "webhook.persisted", kind: event.kind, key: event.key }]);
    expect(clock.pending).toBe(0);
  });

  test("stores a body that is not an event under the digest of its bytes", async () => {
    const kept: InboxEntry[] = [];
    const { receiver, now } = setUpReceiver(async (entry) => void kept.push(entry));
    const bodies = [new Uint8Array([0xff, 0x00]), new Uint8Array([0xfe, 0x00]), new Uint8Array()];
    for (const body of bodies) expect(await receiver.receiveUnreadable(body, now)).toBe("handled");
    expect(kept.map(({ body }) => body)).toEqual(["\ufffd\0", "\ufffd\0", ""]);
    expect(new Set(kept.map(({ key }) => key)).size).toBe(3);
    // printf '' | sha256sum
    expect(kept[2]?.key).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  });

  test("does not acknowledge an event that the inbox rejects, and publishes the error", async () => {
    const error = new Error("no room");
    const { receiver, now, published } = setUpReceiver(() => Promise.reject(error));
    expect(await receiver.receive(messageEvent("SENT", 1), now)).toBe("store_unavailable");
    expect(published).toEqual([{ type: "inbox.failed", error }]);
  });

  test("stops waiting four seconds after the first byte", async () => {
    const { receiver, now, clock, published } = setUpReceiver(() => Promise.withResolvers<void>().promise);
    await clock.advance(1000);
    const answer = receiver.receive(messageEvent("SENT", 1), now);
    await clock.advance(2999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await answer).toBe("store_unavailable");
    expect(published).toEqual([{ type: "inbox.failed", error: expect.any(Error) }]);
  });
});

describe("the entry handler of a worker", () => {
  interface Own {
    readonly store?: Store;
    readonly clock?: ManualClock;
    readonly transactions?: EventTransactions<unknown>;
    readonly attempts?: number;
  }

  function setUpHandler(
    handle: () => unknown,
    { store, clock = createManualClock(), attempts = 4, transactions }: Own = {},
  ) {
    const own = store ?? createMemoryStore({ clock });
    const published: DoorcodeEvent[] = [];
    const handler = createEntryHandler({
      store: own,
      changes: createChangeListeners(),
      transactions: transactions ?? withoutTransactions(own),
      rollsBack: false,
      inbox: noInbox,
      name: "app",
      handlers: { "message.status.update": handle },
      handlerSeconds: 60,
      attempts,
      retrySeconds: 2,
      clock,
      publish: (event) => void published.push(event),
    });
    const process = (event = messageEvent("SENT", 1), given: { failures?: number; replayed?: boolean } = {}) =>
      handler({ key: event.key, body: event.body, failures: 0, replayed: false, ...given });
    return { clock, store: own, published, process, handler };
  }

  test("completes handled, duplicate and stale events", async () => {
    const { process, published } = setUpHandler(() => undefined);
    const verdicts = [await process(), await process(), await process(messageEvent("QUEUED", 0))];
    expect(verdicts).toEqual(Array(3).fill({ action: "complete" }));
    expect(published.map(({ type }) => type)).toEqual(["webhook.handled", "webhook.duplicate", "webhook.stale"]);
  });

  test("retries a failure after 2, 4, 8 seconds, up to an hour, and dead-letters the last one", async () => {
    const { process } = setUpHandler(
      () => {
        throw new Error("oops");
      },
      { attempts: 14 },
    );
    const verdicts: InboxVerdict[] = [];
    for (let failures = 0; failures < 14; failures++) verdicts.push(await process(undefined, { failures }));
    const pauses = verdicts.map((verdict) => (verdict.action === "retry" ? verdict.afterSeconds : verdict.action));
    expect(pauses).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600, "dead_letter"]);
    expect(verdicts.map((verdict) => verdict.action === "retry" && verdict.failures).slice(0, 3)).toEqual([1, 2, 3]);
  });

  test("counts no failure while the store is unavailable, or another process holds the message", async () => {
    const away = { ...createMemoryStore(), lease: () => Promise.reject(new DoorcodeError("store_unavailable")) };
    const down = setUpHandler(() => undefined, { store: away });
    expect(await down.process(undefined, { failures: 3 })).toEqual({ action: "retry", afterSeconds: 5, failures: 3 });
    // The store publishes its own failures.
    expect(down.published).toEqual([]);

    const { process, store, clock } = setUpHandler(() => undefined);
    await store.lease("app:webhook:message.status.update:msg_1", "other", { leaseSeconds: 60, ttlSeconds: 60 });
    const busy = process(undefined, { failures: 3 });
    await clock.advance(2000);
    expect(await busy).toEqual({ action: "retry", afterSeconds: 2, failures: 3 });
    expect(clock.pending).toBe(0);
  });

  test("does not run a handler again if the store is unavailable for seconds after it ends", async () => {
    const clock = createManualClock();
    const memory = createMemoryStore({ clock });
    let refusals = 4;
    const store: Store = {
      ...memory,
      settle: (...given) =>
        !given[3].hold && refusals-- > 0 ? Promise.reject(new Error("away")) : memory.settle(...given),
    };
    let calls = 0;
    const transactions = withoutTransactions(settlePatiently(store, clock));
    const { process } = setUpHandler(() => calls++, { store, clock, transactions });
    const done = process();
    await clock.advance(7499);
    expect(refusals).toBe(0);
    await clock.advance(1);
    expect(await done).toEqual({ action: "complete" });
    refusals = 0;
    expect(await process()).toEqual({ action: "complete" });
    expect(calls).toBe(1);
    expect(clock.pending).toBe(0);
  });

  test("does not fail a handler that ended in time if the store is unavailable after it", async () => {
    const clock = createManualClock();
    const memory = createMemoryStore({ clock });
    let isAway = false;
    const store: Store = {
      ...memory,
      settle: (...given) => (isAway ? Promise.reject(new Error("away")) : memory.settle(...given)),
    };
    const done = Promise.withResolvers<void>();
    const transactions = withoutTransactions(settlePatiently(store, clock));
    const { process, published } = setUpHandler(() => done.promise, { store, clock, transactions, attempts: 1 });
    const verdict = process();
    await clock.advance(59_900);
    isAway = true;
    done.resolve();
    await clock.advance(3000);
    isAway = false;
    await clock.advance(4000);
    expect(await verdict).toEqual({ action: "complete" });
    expect(published.map(({ type }) => type)).toEqual(["webhook.handled"]);
  });

  test("recognizes an event that was marked as handled although the answer of the store was lost", async () => {
    const clock = createManualClock();
    const memory = createMemoryStore({ clock });
    let isLost = true;
    const store: Store = {
      ...memory,
      async settle(...given) {
        const settled = await memory.settle(...given);
        if (isLost && !given[3].hold) throw new Error("lost");
        return settled;
      },
    };
    let calls = 0;
    const transactions = withoutTransactions(settlePatiently(store, clock));
    const { process, published } = setUpHandler(() => calls++, { store, clock, transactions });
    const first = process();
    await clock.advance(100);
    isLost = false;
    await clock.advance(400);
    const verdicts = [await first, await process()];
    expect(verdicts).toEqual([{ action: "retry", afterSeconds: 2, failures: 0 }, { action: "complete" }]);
    expect(published.map(({ type }) => type)).toEqual(["webhook.superseded", "webhook.duplicate"]);
    expect(calls).toBe(1);
  });

  test("returns an entry to the inbox if it waits too long for its entity in the process", async () => {
    const working = Promise.withResolvers<void>();
    const { process, clock } = setUpHandler(() => working.promise);
    const first = process();
    const second = process(messageEvent("DELIVERED", 2));
    await clock.advance(2000);
    expect(await second).toEqual({ action: "retry", afterSeconds: 2, failures: 0 });
    working.resolve();
    await clock.advance(0);
    expect(await first).toEqual({ action: "complete" });
  });

  test("counts a handler that never settles as failed at its limit", async () => {
    const { process, clock, published } = setUpHandler(() => Promise.withResolvers<void>().promise);
    const hanging = process();
    await clock.advance(62_000);
    expect(await hanging).toEqual({ action: "retry", afterSeconds: 2, failures: 1 });
    expect(published).toMatchObject([{ type: "webhook.failed", error: { name: "TimeoutError" } }]);
  });

  test("queues at most two more events of a message, so that a slow handler does not block other messages", async () => {
    const working = Promise.withResolvers<void>();
    const { process, clock } = setUpHandler(() => working.promise);
    const [first, second, third] = [1, 2, 3].map((at) => process(messageEvent("SENT", at)));
    const others = await Promise.all([4, 5].map((at) => process(messageEvent("SENT", at))));
    working.resolve();
    await clock.advance(0);
    expect(others).toEqual(Array(2).fill({ action: "retry", afterSeconds: 2, failures: 0 }));
    expect(await Promise.all([first, second, third])).toEqual(Array(3).fill({ action: "complete" }));
    expect(clock.pending).toBe(0);
  });

  test("limits its waiting by a timer, so that a jump of the machine's clock changes nothing", async () => {
    const { process, store, clock } = setUpHandler(() => undefined);
    await store.lease("app:webhook:message.status.update:msg_1", "other", { leaseSeconds: 60, ttlSeconds: 60 });
    const jumping = Object.assign(clock, { now: () => 0 });
    const busy = process();
    await jumping.advance(2000);
    expect(await busy).toEqual({ action: "retry", afterSeconds: 2, failures: 0 });
  });

  test("dead-letters a body that is not an event, without an attempt", async () => {
    const { handler, published } = setUpHandler(() => undefined);
    const verdict = await handler({ key: "k", body: "[]", failures: 0, replayed: false });
    expect(verdict).toMatchObject({ action: "dead_letter", error: { name: "UnreadableEvent", code: "not_an_object" } });
    expect(published).toEqual([{ type: "webhook.dead_lettered", kind: "unreadable", key: "k" }]);
  });

  test("handles a replay after any other event, and keeps newer events and a final status", async () => {
    let calls = 0;
    const { process, store } = setUpHandler(() => calls++);
    const record = async () => readEntity((await store.get(["app:webhook:message.status.update:msg_1"]))[0]);
    await process(messageEvent("DELIVERED", 3));
    const before = await record();
    for (const event of [messageEvent("SENT", 2), messageEvent("DELIVERED", 3)]) {
      expect(await process(event, { replayed: true })).toEqual({ action: "complete" });
      expect(await record()).toEqual(before);
    }
    await process(messageEvent("LATER", 4), { replayed: true });
    expect(await record()).toMatchObject({ keys: before.keys, final: true });
    expect(calls).toBe(4);
  });

  test("recognizes an event that was replayed, and the others of its instant, when it is delivered again", async () => {
    const { process, published } = setUpHandler(() => undefined);
    const [queued, sent] = [messageEvent("QUEUED", 3), messageEvent("SENT", 3)];
    await process(queued);
    await process(sent, { replayed: true });
    await process(queued);
    await process(sent);
    expect(published.map(({ type }) => type)).toEqual([
      "webhook.handled",
      "webhook.handled",
      "webhook.duplicate",
      "webhook.duplicate",
    ]);
  });

  test.each([
    ["SENT", "webhook.handled"],
    ["DELIVERED", "webhook.stale"],
  ])("after the replay of %s, a later event is %s", async (status, later) => {
    const { process, published } = setUpHandler(() => undefined);
    await process(messageEvent("QUEUED", 1));
    await process(messageEvent(status, 2), { replayed: true });
    await process(messageEvent("LATER", 3));
    expect(published.map(({ type }) => type)).toEqual(["webhook.handled", "webhook.handled", later]);
  });
});

describe("the last error of a dead letter", () => {
  test("has a name, a code and one short line without numbers, stack or cause", () => {
    const cause = new Error("secret cause");
    const error = Object.assign(new TypeError(`to +49 1511 2345678\nfailed ${"x".repeat(1000)}`, { cause }), {
      code: "E1",
    });
    const described = summarizeError(error);
    expect(described).toMatchObject({ name: "TypeError", code: "E1" });
    expect(described.message).toHaveLength(200);
    expect(described.message).toMatch(/^to \+\[…\] failed x/);
    expect(JSON.stringify(described)).not.toMatch(/secret cause|inbox\.test/);
  });

  test("summarizes any thrown value", () => {
    expect(summarizeError(undefined)).toEqual({ name: "undefined", code: undefined, message: "" });
    expect(summarizeError("text")).toEqual({ name: "string", code: undefined, message: "text" });
    expect(summarizeError(Object.create(null))).toMatchObject({ name: "object" });
    expect(summarizeError(null)).toEqual({ name: "object", code: undefined, message: "" });
    expect(summarizeError(Object.assign(new Error(), { name: 1, message: null }))).toMatchObject({
      name: "object",
      message: "",
    });
    expect(summarizeError({ name: "error", code: "23505", message: "duplicate" })).toMatchObject({ code: "23505" });
    expect(summarizeError({ name: "error", code: "+491511234", message: "" })).toMatchObject({ code: "+[…]" });
    expect(summarizeError({ name: "error", code: 7, message: "" })).toMatchObject({ code: undefined });
  });

  test("summarizes an error of another realm like any other", () => {
    const otherRealm: unknown = runInNewContext("Object.assign(new TypeError('odd'), { code: 'E2' })");
    expect(otherRealm).not.toBeInstanceOf(Error);
    expect(summarizeError(otherRealm)).toEqual({ name: "TypeError", code: "E2", message: "odd" });
  });

  test("never throws, even if reading the error throws", () => {
    const trap = () => {
      throw new Error("not readable");
    };
    const hostile = Object.defineProperties(new Error(), {
      name: { get: trap },
      code: { get: trap },
      message: { get: trap },
    });
    expect(summarizeError(hostile)).toEqual({ name: "object", code: undefined, message: "" });
    expect(summarizeError(new Proxy({}, { get: trap })).message).toBe("");
  });

  test("is well-formed text, even where a surrogate pair is cut", () => {
    const { message } = summarizeError(new Error(`${"x".repeat(199)}\u{1f600}`));
    expect(message).toHaveLength(200);
    expect(message.isWellFormed()).toBe(true);
  });

  test("reads only the beginning of megabytes", () => {
    expect(summarizeError(new Error("1 ".repeat(5_000_000))).message).toBe("[…]");
  });
});
