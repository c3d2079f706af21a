import { createDoorcode, createMemoryStore, type DoorcodeEvent, type WebhookEvent } from "@doorcode/core";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { setUpSqlite } from "./inbox-setup.ts";
import { createJournal } from "./journal.ts";
import type { Engine } from "./open-engine.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ port: 0, clock: "frozen" });
});
afterAll(() => sandbox.close());

type Parts = Pick<Engine, "store"> & Partial<Pick<Engine, "inbox">>;

/** Starts an app with the sandbox as its service, which receives no webhooks until it recovers. */
async function setUpApp({ store, inbox }: Parts) {
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

test.each<[how: string, setUp: () => Promise<Parts>]>([
  ["before the answer", async () => ({ store: createMemoryStore() })],
  ["by a worker", () => setUpSqlite()],
])(
  "after an outage of more than 72.5 minutes the last status of each message is handled once, under the key of its webhook, %s",
  async (_how, setUp) => {
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
    expect(first).toMatchObject({ listed: 2, changed: 2, accepted: 2, known: 0, failed: 0 });
    expect(again).toMatchObject({ listed: 2, changed: 2, failed: 0 });
    expect(calls.entries.map(({ data }) => data.status)).toEqual(["DELIVERED", "DELIVERED"]);
    expect(new Set(application.deliveries.list().map(({ status }) => status))).toEqual(new Set(["delivered"]));
  },
);

test("reconciling needs webhooks and the service", async () => {
  const service = { baseUrl: sandbox.env.SERVICE_URL, apiKey: sandbox.env.SERVICE_API_KEY };
  const without = createDoorcode({ service });
  onTestFinished(() => without.close());
  await expect(without.messages.reconcile({ since: new Date() })).rejects.toThrow(/without webhooks/);
  const webhooks = { secret: "whk_of_the_tests" };
  expect(() => createDoorcode({ webhooks }).messages).toThrow(/without service/);
});
