import { createDoorcode, createMemoryStore, type DoorcodeEvent, type WebhookEvent } from "@doorcode/core";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { findEngines } from "./inbox-setup.ts";
import { createJournal } from "./journal.ts";
import type { Engine } from "./open-engine.ts";

const engines = await findEngines();
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ port: 0, clock: "frozen" });
});
afterAll(async () => {
  await sandbox.close();
  await Promise.all(engines.map((engine) => engine.close()));
});

const ways: readonly {
  readonly way: string;
  readonly setUp: () => Promise<Pick<Engine, "store"> & Partial<Engine>>;
}[] = [
  { way: "before the answer", setUp: async () => ({ store: createMemoryStore() }) },
  ...engines.map((engine) => ({ way: `by workers on ${engine.name}`, setUp: () => engine.setUp() })),
];

/** Starts an app with the sandbox as its service, which receives no webhooks until it recovers. */
async function setUpApp({ store, inbox }: Pick<Engine, "store"> & Partial<Engine>) {
  const application = sandbox.createApplication();
  const calls = createJournal<WebhookEvent>();
  const events = createJournal<DoorcodeEvent>();
  const { SERVICE_URL, SERVICE_API_KEY, WEBHOOK_SECRET } = application.env;
  const doorcode = createDoorcode({
    store,
    onEvent: events.note,
    service: { baseUrl: SERVICE_URL, apiKey: SERVICE_API_KEY },
    webhooks: {
      secret: WEBHOOK_SECRET,
      ...(inbox && { inbox }),
      on: { "message.status.update": (event) => calls.note(event) },
    },
  });
  const [host] = hosts;
  const app = await host?.serve(doorcode, { login: false, webhooks: true });
  if (inbox) await doorcode.work();
  onTestFinished(async () => {
    await app?.close();
    application.remove();
  });
  let isDown = true;
  application.deliverTo(async (request) => {
    if (isDown) return new Response(null, { status: 503 });
    return fetch(`${app?.url}/webhooks`, { method: "POST", headers: request.headers, body: await request.text() });
  });
  const recover = () => {
    isDown = false;
  };
  return { application, doorcode, calls, events, recover };
}

const message = {
  recipients: ["+4915112345678", "+4915112345679"],
  channels: [{ channel: "SMS", sender: "Doorcode", content: { text: "Hello" } }],
} as const;

describe.each(ways)("after an outage of more than 72.5 minutes, handled $way", ({ setUp }) => {
  test("handles the last status of each message once, under the key of its webhook", async () => {
    const { application, doorcode, calls, events, recover } = await setUpApp(await setUp());
    const since = new Date(application.clock.now());
    await doorcode.messages.send(message);
    await application.clock.advance("2h");
    const callsMeanwhile = calls.entries.length;
    recover();
    const first = await doorcode.messages.reconcile({ since });
    await events.reached(({ type }) => type === "webhook.handled", 2);
    const again = await doorcode.messages.reconcile({ since });
    // Everything is delivered once more, the newest event too.
    await application.deliveries.replayFailed();
    await application.deliveries.settled();
    await doorcode.close();

    expect(callsMeanwhile).toBe(0);
    expect(first).toMatchObject({ listed: 2, changed: 2, accepted: 2, known: 0, failed: 0, remaining: 0 });
    expect(again).toMatchObject({ listed: 2, changed: 2, failed: 0 });
    expect(calls.entries.map(({ data }) => data.status)).toEqual(["DELIVERED", "DELIVERED"]);
    expect(new Set(application.deliveries.list().map(({ status }) => status))).toEqual(new Set(["delivered"]));
  });
});

describe("reconciling", () => {
  test("skips older and unchanged messages, and stops at its limit, the oldest first", async () => {
    const { application, doorcode, calls } = await setUpApp({ store: createMemoryStore() });
    await doorcode.messages.send(message);
    await application.clock.advance("2h");
    const since = new Date(application.clock.now());
    await doorcode.messages.send(message);
    await application.clock.advance("1h");
    await doorcode.messages.send({ ...message, recipients: [message.recipients[0]] });
    await application.clock.advance("1h");
    await doorcode.messages.send(message);
    const limited = await doorcode.messages.reconcile({ since, limit: 1 });
    const rest = await doorcode.messages.reconcile({ since: limited.next ?? since, limit: 1 });

    // Two messages of one millisecond are not separated: continuing after the first would never reach the second.
    expect(limited).toMatchObject({ listed: 7, changed: 3, accepted: 2, known: 0, failed: 0, remaining: 1 });
    expect(rest).toEqual({ listed: 7, changed: 1, accepted: 1, known: 0, failed: 0, remaining: 0, next: undefined });
    expect(calls.entries).toHaveLength(3);
  });

  test("counts a handler that failed, and handles its event the next time", async () => {
    const { application, doorcode } = await setUpApp({ store: createMemoryStore() });
    const { SERVICE_URL, SERVICE_API_KEY } = application.env;
    let isBroken = true;
    const handle = () => {
      if (isBroken) throw new Error("not now");
    };
    const broken = createDoorcode({
      store: createMemoryStore(),
      onEvent: () => undefined,
      service: { baseUrl: SERVICE_URL, apiKey: SERVICE_API_KEY },
      webhooks: { secret: "whk_of_the_tests", on: { "message.status.update": handle } },
    });
    onTestFinished(() => broken.close());
    const since = new Date(application.clock.now());
    await doorcode.messages.send(message);
    await application.clock.advance("2h");
    const failed = await broken.messages.reconcile({ since });
    isBroken = false;
    const done = await broken.messages.reconcile({ since });

    expect([failed.failed, failed.accepted, done.failed, done.accepted]).toEqual([2, 0, 0, 2]);
  });

  test("loses no failed event when the caller continues with the time that it returns", async () => {
    const { application, doorcode } = await setUpApp({ store: createMemoryStore() });
    const { SERVICE_URL, SERVICE_API_KEY } = application.env;
    const handled: unknown[] = [];
    let calls = 0;
    const kit = createDoorcode({
      store: createMemoryStore(),
      onEvent: () => undefined,
      service: { baseUrl: SERVICE_URL, apiKey: SERVICE_API_KEY },
      webhooks: {
        secret: "whk_of_the_tests",
        on: {
          "message.status.update": ({ data }) => {
            if (calls++ === 0) throw new Error("not now");
            handled.push(data.message_id);
          },
        },
      },
    });
    onTestFinished(() => kit.close());
    const since = new Date(application.clock.now());
    const sent: unknown[] = [];
    for (let index = 0; index < 3; index++) {
      const { messages } = await doorcode.messages.send({ ...message, recipients: [message.recipients[0]] });
      sent.push(...messages.map(({ message_id }) => message_id));
      await application.clock.advance("1h");
    }
    let next: Date | undefined = since;
    for (let ask = 0; next && ask < 10; ask++) next = (await kit.messages.reconcile({ since: next, limit: 1 })).next;

    expect(handled).toEqual(sent);
    expect(next).toBeUndefined();
  });

  test("refuses a wrong time, a wrong limit, and a kit without webhooks or service", async () => {
    const service = { baseUrl: sandbox.env.SERVICE_URL, apiKey: sandbox.env.SERVICE_API_KEY };
    const webhooks = { secret: "whk_of_the_tests" };
    const kit = createDoorcode({ service, webhooks });
    const without = createDoorcode({ service });
    onTestFinished(() => kit.close());
    onTestFinished(() => without.close());
    const since = new Date();
    await expect(kit.messages.reconcile({ since: new Date("soon") })).rejects.toThrow(/since must be a Date/);
    await expect(kit.messages.reconcile({ since, limit: 0 })).rejects.toThrow(/limit must be a whole number/);
    await expect(without.messages.reconcile({ since })).rejects.toThrow(/without webhooks/);
    expect(() => createDoorcode({ webhooks }).messages).toThrow(/without service/);
  });
});
