import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Sandbox } from "../src/index.ts";
import { addReceiver, createReceiver } from "./support/receiver.ts";
import {
  confirm,
  inOrder,
  messageRequest,
  phone,
  post,
  silent,
  start,
  startFrozen,
  startVerification,
} from "./support/start.ts";

const onlyVoice = "+491713920035";
const cascade = inOrder("SMS", "WHATSAPP", "VOICE");

/** Creates one delivery of SENT and waits for its first attempt. */
async function oneDelivery(sandbox: Sandbox): Promise<string> {
  await post(sandbox, "/messages", messageRequest({ recipients: [silent] }));
  await sandbox.clock.advance("50ms");
  return sandbox.deliveries.list().at(-1)?.id ?? "";
}

/** Creates an endpoint whose attempts the test answers one by one, in any order. */
function createManualEndpoint() {
  const calls: PromiseWithResolvers<Response>[] = [];
  let arrived = Promise.withResolvers<void>();
  return {
    handler() {
      const call = Promise.withResolvers<Response>();
      calls.push(call);
      arrived.resolve();
      return call.promise;
    },
    answer: (index: number, status: number) => calls[index]?.resolve(new Response(null, { status })),
    async until(count: number) {
      while (calls.length < count) {
        arrived = Promise.withResolvers();
        await arrived.promise;
      }
    },
  };
}

test("a watcher is called for no delivery that a reset removes", async () => {
  const sandbox = await startFrozen();
  addReceiver(sandbox);
  await oneDelivery(sandbox);
  const seen: string[] = [];
  sandbox.deliveries.watch(({ status }) => seen.push(status));
  sandbox.reset();
  await Promise.resolve();
  expect(seen).toEqual([]);
});

describe("wait", () => {
  test("returns the newest match immediately", async () => {
    const sandbox = await startFrozen();
    addReceiver(sandbox);
    await oneDelivery(sandbox);
    const newest = await oneDelivery(sandbox);
    expect((await sandbox.deliveries.wait({ timeoutSeconds: 0 })).id).toBe(newest);
  });

  test("resolves as soon as one matches event, number, event status and status", async () => {
    const sandbox = await startFrozen();
    addReceiver(sandbox, 500);
    const wanted = {
      event: "verification.update",
      to: phone,
      eventStatus: "SMS DELIVERED",
      status: "pending",
    } as const;
    const waiting = sandbox.deliveries.wait(wanted);
    await oneDelivery(sandbox);
    await startVerification(sandbox);
    await sandbox.clock.advance("1s");
    const { event, recipient, eventStatus, status } = await waiting;
    expect({ event, to: recipient, eventStatus, status }).toEqual(wanted);
  });

  test("waits for an acknowledged delivery by default", async () => {
    const sandbox = await startFrozen();
    addReceiver(sandbox, 500, 200);
    const waiting = sandbox.deliveries.wait();
    const id = await oneDelivery(sandbox);
    expect(await sandbox.deliveries.wait({ status: "pending" })).toMatchObject({ id });
    await sandbox.clock.advance("30s");
    expect(await waiting).toMatchObject({ id, status: "delivered" });
    const missing = sandbox.deliveries.wait({ status: "failed", timeoutSeconds: 0 });
    await expect(missing).rejects.toMatchObject({ name: "SandboxError", code: "delivery_missing" });
  });

  test("ends with its signal and when the sandbox closes", async () => {
    const sandbox = await startFrozen();
    const leaving = new AbortController();
    const left = sandbox.deliveries.wait({ signal: leaving.signal });
    const waiting = sandbox.deliveries.wait();
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: "closed" });
    await Promise.all([sandbox.close(), expect(waiting).rejects.toMatchObject({ code: "closed" })]);
  });

  test("fails before a test would that has five seconds, and says what there is", async () => {
    const sandbox = await startFrozen();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const waiting = Promise.allSettled([sandbox.deliveries.wait(), sandbox.inbox.wait({ to: silent })]);
    vi.advanceTimersByTime(4000);
    const [delivery, message] = ["delivery_missing", "message_missing"].map((code) => ({ reason: { code } }));
    expect(await waiting).toMatchObject([delivery, message]);
  });

  test.each([Number.POSITIVE_INFINITY, 30 * 86_400])("accepts a time limit of %d seconds", async (timeoutSeconds) => {
    const sandbox = await startFrozen();
    addReceiver(sandbox);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const waiting = Promise.all([
      sandbox.deliveries.wait({ timeoutSeconds }),
      sandbox.inbox.wait({ to: silent, timeoutSeconds }),
    ]);
    vi.advanceTimersByTime(86_400_000);
    const id = await oneDelivery(sandbox);
    expect(await waiting).toMatchObject([{ id }, { to: silent }]);
  });
});

describe("sent again", () => {
  test("a delivery gets one more attempt immediately, and its schedule continues when that fails", async () => {
    const sandbox = await startFrozen();
    const receiver = addReceiver(sandbox, 500);
    const id = await oneDelivery(sandbox);
    const planned = sandbox.deliveries.list()[0]?.nextAttemptAt;
    await sandbox.clock.advance("10s");
    const again = await sandbox.deliveries.sendAgain(id);
    expect(again).toMatchObject({ status: "pending", nextAttemptAt: planned });
    expect(again.attempts.map(({ cause }) => cause)).toEqual(["schedule", "send_again"]);
    await sandbox.clock.advance("2h");
    const [delivery] = sandbox.deliveries.list();
    expect(delivery?.attempts.filter(({ cause }) => cause === "schedule")).toHaveLength(5);
    expect(new Set(receiver.arrivals.map(({ bytes }) => bytes)).size).toBe(1);
  });

  test("a delivery is delivered when that succeeds, and its schedule ends", async () => {
    const sandbox = await startFrozen();
    const receiver = addReceiver(sandbox, 500, 200);
    const id = await oneDelivery(sandbox);
    expect(await sandbox.deliveries.sendAgain(id)).toMatchObject({ status: "delivered", nextAttemptAt: undefined });
    await sandbox.clock.advance("2h");
    expect(receiver.arrivals).toHaveLength(2);
  });

  test("a delivered delivery stays delivered after any answer", async () => {
    const sandbox = await startFrozen();
    addReceiver(sandbox, 200, 500);
    const id = await oneDelivery(sandbox);
    expect(await sandbox.deliveries.sendAgain(id)).toMatchObject({ status: "delivered", nextAttemptAt: undefined });
    await sandbox.clock.advance("2h");
    expect(sandbox.deliveries.list()[0]?.attempts.map(({ status }) => status)).toEqual([200, 500]);
  });

  test.each([
    ["the scheduled attempt fails first", [500, 200], [0, 1], "delivered", 2],
    ["the scheduled attempt fails last", [500, 200], [1, 0], "delivered", 2],
    ["the manual attempt fails first", [200, 500], [1, 0], "delivered", 2],
    ["the manual attempt fails last", [200, 500], [0, 1], "delivered", 2],
    ["both fail", [500, 500], [1, 0], "pending", 3],
    ["both succeed", [200, 200], [0, 1], "delivered", 2],
  ] as const)(
    "during a scheduled attempt, a delivery has the right status when %s",
    async (_, answers, order, status, attempts) => {
      const sandbox = await startFrozen();
      const manual = createManualEndpoint();
      sandbox.deliverTo(manual.handler);
      await post(sandbox, "/messages", messageRequest({ recipients: [silent] }));
      const advanced = sandbox.clock.advance("50ms");
      await manual.until(1);
      const again = sandbox.deliveries.sendAgain(sandbox.deliveries.list()[0]?.id ?? "");
      await manual.until(2);
      for (const index of order) manual.answer(index, answers[index]);
      await Promise.all([advanced, again]);
      expect(sandbox.deliveries.list()).toMatchObject([{ status }]);
      const later = sandbox.clock.advance("30s");
      if (status === "pending") await manual.until(3);
      manual.answer(2, 200);
      await later;
      expect(sandbox.deliveries.list()[0]?.attempts).toHaveLength(attempts);
      expect(sandbox.deliveries.list()).toMatchObject([{ status: "delivered", nextAttemptAt: undefined }]);
    },
  );
});

describe("replay", () => {
  test("makes one attempt of each delivery that has failed or waits for a retry, and of no other", async () => {
    const sandbox = await startFrozen();
    let status = 500;
    const receiver = createReceiver();
    sandbox.deliverTo((request) => (status === 200 ? receiver.handler(request) : new Response(null, { status })));
    const failed = [await oneDelivery(sandbox), await oneDelivery(sandbox)];
    await sandbox.clock.advance("2h");
    const retrying = await oneDelivery(sandbox);
    status = 200;
    const delivered = await oneDelivery(sandbox);
    const replayed = await sandbox.deliveries.replayFailed();
    expect(replayed.map(({ id, status, attempts }) => [id, status, attempts.length])).toEqual([
      ...failed.map((id) => [id, "delivered", 6]),
      [retrying, "delivered", 2],
    ]);
    expect(receiver.arrivals).toHaveLength(4);
    expect(sandbox.deliveries.list().find(({ id }) => id === delivered)?.attempts).toHaveLength(1);
    expect(await sandbox.deliveries.replayFailed()).toEqual([]);
  });

  test("leaves a delivery failed when it fails again, without a new schedule", async () => {
    const { sandbox, clock } = await start({ settings: { webhookRetryDelaysSeconds: [] } });
    addReceiver(sandbox, 500);
    await post(sandbox, "/messages", messageRequest({ recipients: [silent] }));
    await sandbox.clock.advance("1s");
    expect(await sandbox.deliveries.replayFailed()).toMatchObject([{ status: "failed", nextAttemptAt: undefined }]);
    expect(clock.pending).toBe(0);
  });
});

describe("a message that is deleted from the inbox", () => {
  test.each<[string, (sandbox: Sandbox) => void]>([
    ["one by one", ({ inbox }) => inbox.list().forEach(({ id }) => void inbox.remove(id))],
    ["by number", ({ inbox }) => inbox.list().forEach(({ to }) => void inbox.clear({ to }))],
    ["with all other messages", ({ inbox }) => inbox.clear()],
  ])("is still processed, %s", async (_, remove) => {
    const sandbox = await startFrozen();
    const receiver = addReceiver(sandbox);
    await post(sandbox, "/messages", messageRequest());
    remove(sandbox);
    await sandbox.clock.advance("1s");
    expect(sandbox.inbox.list()).toEqual([]);
    expect(receiver.statuses()).toEqual(["SENT", "DELIVERED"]);
    expect(sandbox.usage().messages.byStatus).toEqual({ DELIVERED: 1 });
  });

  test("does not stop the fallback to the next channel", async () => {
    const sandbox = await startFrozen();
    for (const recipient of [silent, onlyVoice]) {
      const { id, code } = await startVerification(sandbox, { recipient, channels: cascade });
      sandbox.inbox.clear();
      await sandbox.clock.advance("45s");
      expect(sandbox.inbox.list().map(({ channel }) => channel)).toEqual(["WHATSAPP", "VOICE"]);
      expect((await confirm(sandbox, id, code)).status).toBe(200);
      sandbox.inbox.clear();
    }
  });

  test("is not listed, not waited for and not deleted again", async () => {
    const sandbox = await startFrozen();
    await post(sandbox, "/messages", messageRequest());
    const [message] = sandbox.inbox.list();
    sandbox.inbox.remove(message?.id ?? "");
    await expect(sandbox.inbox.wait({ to: phone, timeoutSeconds: 0 })).rejects.toThrow("The inbox is empty");
    expect(() => sandbox.inbox.remove(message?.id ?? "")).toThrow(expect.objectContaining({ code: "message_unknown" }));
    const waiting = sandbox.inbox.wait({ to: phone });
    await post(sandbox, "/messages", messageRequest());
    expect(await waiting).toEqual(sandbox.inbox.list()[0]);
  });
});

describe("a reset during an attempt", () => {
  test("forgets the attempt and all others, after any answer", async () => {
    const { sandbox, clock } = await start();
    const manual = createManualEndpoint();
    sandbox.deliverTo(manual.handler);
    const recipients = Array.from({ length: 40 }, (_, index) => `+49151123456${index + 10}`);
    await post(sandbox, "/messages", messageRequest({ recipients }));
    await clock.advance(50);
    await manual.until(32);
    sandbox.reset();
    for (let index = 0; index < 32; index++) manual.answer(index, index % 2 === 0 ? 200 : 500);
    await sandbox.deliveries.settled();
    expect([sandbox.deliveries.list(), sandbox.inbox.list(), clock.pending]).toEqual([[], [], 0]);
    expect(sandbox.endpoints.list()).toMatchObject([{ status: "enabled", failingSince: undefined }]);
  });

  test("ends a delivery that is sent again", async () => {
    const sandbox = await startFrozen();
    addReceiver(sandbox, 500);
    const id = await oneDelivery(sandbox);
    const again = sandbox.deliveries.sendAgain(id);
    sandbox.reset();
    await expect(again).rejects.toMatchObject({ code: "delivery_unknown" });
  });
});

test("settled waits for one application only: a hanging receiver of another does not block it", async () => {
  const { sandbox, clock } = await start();
  const other = sandbox.createApplication();
  const manual = createManualEndpoint();
  other.deliverTo(manual.handler);
  addReceiver(sandbox);
  await post(other, "/messages", messageRequest());
  await post(sandbox, "/messages", messageRequest());
  await clock.advance(50);
  await manual.until(1);
  let settled = false;
  const others = other.deliveries.settled().then(() => {
    settled = true;
  });
  await sandbox.deliveries.settled();
  expect([sandbox.deliveries.list()[0]?.status, settled]).toEqual(["delivered", false]);
  manual.answer(0, 200);
  await others;
  expect(other.deliveries.list()[0]?.status).toBe("delivered");
});

test("delivers all events of a large request, a limited number at a time", async () => {
  const { sandbox, clock } = await start();
  const release = Promise.withResolvers<void>();
  let begun = 0;
  sandbox.deliverTo(async () => {
    begun++;
    await release.promise;
    return new Response();
  });
  const recipients = Array.from({ length: 40 }, (_, index) => `+49151123456${index + 10}`);
  await post(sandbox, "/messages", messageRequest({ recipients }));
  await clock.advance(50);
  expect(begun).toBe(32);
  release.resolve();
  await sandbox.deliveries.settled();
  expect(begun).toBe(40);
});
