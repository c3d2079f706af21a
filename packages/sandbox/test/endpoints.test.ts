import { describe, expect, test } from "vitest";
import type { Sandbox } from "../src/index.ts";
import { addReceiver, createReceiver, serve } from "./support/receiver.ts";
import { messageRequest, post, silent, startFrozen } from "./support/start.ts";

/** Creates one event, SENT, and waits for its first attempt. */
async function oneEvent(sandbox: Sandbox, changes: object = {}): Promise<void> {
  await post(sandbox, "/messages", messageRequest({ recipients: [silent], ...changes }));
  await sandbox.clock.advance("50ms");
}

const statuses = (sandbox: Sandbox) => sandbox.deliveries.list().map(({ status }) => status);
const health = (sandbox: Sandbox) => sandbox.endpoints.list().map(({ status }) => status);

/** Starts a sandbox whose endpoint has failed for 24 hours. */
async function startDisabled() {
  const sandbox = await startFrozen();
  let status = 500;
  sandbox.deliverTo(() => new Response(null, { status }));
  await oneEvent(sandbox);
  await sandbox.clock.advance("24h");
  await oneEvent(sandbox);
  const answerWith = (next: number) => {
    status = next;
  };
  return { sandbox, answerWith };
}

test("an event is sent by the selection at the time of the event", async () => {
  const sandbox = await startFrozen();
  const receiver = createReceiver();
  const { id } = sandbox.endpoints.add({ target: receiver.handler, events: ["verification.update"] });
  await oneEvent(sandbox);
  sandbox.endpoints.setEvents(id, ["message.status.update"]);
  await oneEvent(sandbox);
  expect(receiver.arrivals).toHaveLength(1);
});

describe("a failing endpoint", () => {
  test("is reported to the owner once, by a mail with the endpoint, the application and the start of the failure", async () => {
    const sandbox = await startFrozen();
    sandbox.configure({ name: "Shop" });
    const url = await serve(createReceiver(500));
    sandbox.deliverTo(url);
    await oneEvent(sandbox);
    await sandbox.clock.advance("24h");
    for (let event = 0; event < 3; event++) await oneEvent(sandbox);
    const [mail, ...others] = sandbox.account.mails();
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ to: sandbox.account.get().ownerEmail, subject: `Webhook endpoint disabled: ${url}` });
    for (const part of [url, `"Shop"`, String(sandbox.endpoints.list()[0]?.failingSince)]) {
      expect(mail?.text).toContain(part);
    }
  });

  test("fails its pending deliveries when it is disabled, but not those of other endpoints", async () => {
    const sandbox = await startFrozen();
    const [bad, good] = [createReceiver(500), createReceiver()];
    sandbox.endpoints.add({ target: bad.handler });
    sandbox.endpoints.add({ target: good.handler });
    await oneEvent(sandbox);
    await sandbox.clock.advance("23h59m59s");
    await oneEvent(sandbox);
    await sandbox.clock.advance("30s");
    expect(health(sandbox)).toEqual(["disabled", "enabled"]);
    expect(sandbox.deliveries.list().map(({ status, nextAttemptAt }) => [status, nextAttemptAt])).toEqual([
      ["failed", undefined],
      ["delivered", undefined],
      ["failed", undefined],
      ["delivered", undefined],
    ]);
    const before = bad.arrivals.length;
    await oneEvent(sandbox);
    await sandbox.clock.advance("2h");
    expect([bad.arrivals.length, good.arrivals.length]).toEqual([before, 3]);
    expect(statuses(sandbox)).toHaveLength(5);
  });

  test.each([
    ["86399949ms", "enabled"],
    ["86399950ms", "disabled"],
  ])(
    "is disabled by the first attempt that fails after 24 hours: %s and 50 ms after another, it is %s",
    async (pause, expected) => {
      const sandbox = await startFrozen();
      sandbox.deliverTo(createReceiver(500).handler);
      await oneEvent(sandbox);
      await sandbox.clock.advance(pause);
      await oneEvent(sandbox);
      expect(health(sandbox)).toEqual([expected]);
    },
  );

  test.each([204, 500])(
    "that is disabled stays so, without another mail, when it answers %i to an attempt by hand",
    async (answer) => {
      const { sandbox, answerWith } = await startDisabled();
      answerWith(answer);
      await sandbox.deliveries.sendAgain(sandbox.deliveries.list()[0]?.id ?? "");
      expect(health(sandbox)).toEqual(["disabled"]);
      expect(sandbox.account.mails()).toHaveLength(1);
    },
  );

  test("works again after it was enabled, with another 24 hours", async () => {
    const { sandbox, answerWith } = await startDisabled();
    expect(health(sandbox)).toEqual(["disabled"]);

    const id = sandbox.endpoints.list()[0]?.id ?? "";
    sandbox.endpoints.enable(id);
    await oneEvent(sandbox);
    expect(sandbox.endpoints.list()).toMatchObject([{ status: "enabled", failingSince: expect.any(String) }]);
    answerWith(200);
    await sandbox.clock.advance("30s");
    expect(statuses(sandbox)).toEqual(["failed", "failed", "delivered"]);
    await sandbox.deliveries.replayFailed();
    expect(statuses(sandbox)).toEqual(["delivered", "delivered", "delivered"]);
  });

  test("is not disabled when it is the callback_url of a request", async () => {
    const sandbox = await startFrozen();
    const url = await serve(createReceiver(500));
    sandbox.deliverTo(url);
    for (let hour = 0; hour < 26; hour++) {
      await oneEvent(sandbox, { callback_url: url });
      await sandbox.clock.advance("1h");
    }
    expect(sandbox.endpoints.list()).toMatchObject([{ status: "enabled", failingSince: undefined }]);
    expect(sandbox.account.mails()).toEqual([]);
  });

  test("is healthy after a reset, even when the clock moves back by a day", async () => {
    const sandbox = await startFrozen();
    addReceiver(sandbox, 500);
    sandbox.endpoints.add({ target: createReceiver(500).handler });
    await oneEvent(sandbox);
    sandbox.endpoints.enable(sandbox.endpoints.list()[1]?.id ?? "");
    await sandbox.clock.advance("24h");
    await oneEvent(sandbox);
    sandbox.reset();
    const whole = { status: "enabled", failingSince: undefined };
    expect(sandbox.endpoints.list()).toMatchObject([whole, whole]);
  });
});

describe("a removed endpoint", () => {
  test("gets nothing more, and its pending deliveries fail", async () => {
    const sandbox = await startFrozen();
    const receiver = createReceiver(500);
    const { id } = sandbox.endpoints.add({ target: receiver.handler });
    await oneEvent(sandbox);
    sandbox.endpoints.remove(id);
    expect(sandbox.deliveries.list()).toMatchObject([{ status: "failed", nextAttemptAt: undefined }]);
    await oneEvent(sandbox);
    await sandbox.clock.advance("2h");
    expect(receiver.arrivals).toHaveLength(1);
    expect(sandbox.deliveries.list()).toHaveLength(1);
  });

  test("is replaced by the endpoint of deliverTo only for later events", async () => {
    const sandbox = await startFrozen();
    const [first, second] = [createReceiver(500), createReceiver()];
    sandbox.deliverTo(first.handler);
    await oneEvent(sandbox);
    sandbox.deliverTo(second.handler);
    await oneEvent(sandbox);
    await sandbox.clock.advance("2h");
    expect([first.arrivals.length, second.arrivals.length]).toEqual([1, 1]);
    expect(statuses(sandbox)).toEqual(["failed", "delivered"]);
  });

  test("keeps its acknowledged deliveries, and is called again only by hand", async () => {
    const sandbox = await startFrozen();
    const receiver = createReceiver();
    const { id } = sandbox.endpoints.add({ target: await serve(receiver) });
    await oneEvent(sandbox);
    sandbox.endpoints.remove(id);
    await sandbox.deliveries.sendAgain(sandbox.deliveries.list()[0]?.id ?? "");
    expect(statuses(sandbox)).toEqual(["delivered"]);
    expect(receiver.arrivals).toHaveLength(2);
  });

  test.each([
    ["without", false],
    ["with", true],
  ])(
    "is never called again when it is a handler in this process, %s remote webhooks",
    async (_, allowRemoteWebhooks) => {
      const sandbox = await startFrozen({ allowRemoteWebhooks });
      const receivers = [createReceiver(), createReceiver()];
      const sendAll = () => Promise.all(sandbox.deliveries.list().map(({ id }) => sandbox.deliveries.sendAgain(id)));
      for (const { handler } of receivers) {
        sandbox.deliverTo(handler);
        await oneEvent(sandbox);
      }
      await sendAll();
      expect(receivers.map(({ arrivals }) => arrivals.length)).toEqual([1, 2]);
      const [{ id } = expect.fail()] = sandbox.endpoints.list();
      sandbox.endpoints.remove(id);
      await sendAll();
      const last = sandbox.deliveries.list().map(({ attempts }) => attempts.at(-1)?.error);
      expect(last).toEqual(["not_loopback", "not_loopback"]);
      expect(receivers.map(({ arrivals }) => arrivals.length)).toEqual([1, 2]);
    },
  );

  test.each(["1s", "2h"])(
    "can have an attempt in progress, which is recorded and not repeated, %s later",
    async (time) => {
      const sandbox = await startFrozen();
      const answer = Promise.withResolvers<Response>();
      const asked = Promise.withResolvers<void>();
      const { id } = sandbox.endpoints.add({
        target() {
          asked.resolve();
          return answer.promise;
        },
      });
      await post(sandbox, "/messages", messageRequest({ recipients: [silent] }));
      const advanced = sandbox.clock.advance(time);
      await asked.promise;
      sandbox.endpoints.remove(id);
      answer.resolve(new Response(null, { status: 500 }));
      await advanced;
      const ended = { status: "failed", attempts: [{ status: 500 }], nextAttemptAt: undefined };
      expect(sandbox.deliveries.list()).toMatchObject([ended]);
    },
  );
});

describe("an endpoint is refused", () => {
  test.each([
    ["a password in its URL", "http://me:secret@localhost/"],
    ["https on another machine", "https://example.com/"],
    ["the URL of a handler in this process", "in-process:1"],
  ])("with %s", async (_, target) => {
    const sandbox = await startFrozen();
    addReceiver(sandbox);
    expect(() => sandbox.endpoints.add({ target })).toThrow(TypeError);
    expect(() => sandbox.deliverTo(target)).toThrow(TypeError);
    expect(sandbox.endpoints.list()).toHaveLength(1);
  });

  test("on another machine, unless remote webhooks are allowed", async () => {
    const sandbox = await startFrozen({ allowRemoteWebhooks: true });
    expect(sandbox.endpoints.add({ target: "https://example.com/" }).url).toBe("https://example.com/");
    expect(() => sandbox.endpoints.add({ target: "http://example.com/" })).toThrow(TypeError);
  });
});
