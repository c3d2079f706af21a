import { expect, test } from "vitest";
import type { Sandbox, SandboxApplication } from "../src/index.ts";
import { createReceiver, serve } from "./support/receiver.ts";
import { confirm, messageRequest, phone, post, silent, start, startVerification } from "./support/start.ts";

/** Creates ten applications with their own clocks and their own code for a number that all use. */
function createTen(sandbox: Sandbox): readonly SandboxApplication[] {
  return Array.from({ length: 10 }, (_, index) => {
    const application = sandbox.createApplication({ name: `Team ${index}`, codes: { [phone]: `${100_000 + index}` } });
    application.clock.set("frozen");
    return application;
  });
}

async function listMessages({ env }: SandboxApplication): Promise<Record<string, string>[]> {
  const response = await fetch(`${env.SERVICE_URL}/messages`, { headers: { "X-API-KEY": env.SERVICE_API_KEY } });
  return ((await response.json()) as { messages: Record<string, string>[] }).messages;
}

test("ten applications use one number at the same time, and each sees only its own records", async () => {
  const { sandbox } = await start();
  const began = sandbox.clock.now();
  const all = createTen(sandbox);
  const seen = await Promise.all(
    all.map(async (application, index) => {
      const receiver = createReceiver();
      application.deliverTo(await serve(receiver));
      const waiting = application.inbox.wait({ to: phone, timeoutSeconds: 60 });
      const { id, code, wrongCode } = await startVerification(application);
      await confirm(application, id, wrongCode);
      const { status } = await confirm(application, id, code);
      const { body } = await post(application, "/messages", messageRequest());
      await application.clock.advance(`${index + 1}s`);
      return { id, code, status, requestId: String(body.request_id), receiver, waited: (await waiting).code };
    }),
  );

  for (const [index, application] of all.entries()) {
    const { id, code, status, requestId, receiver, waited } = seen[index] ?? expect.fail();
    expect([code, waited, status]).toEqual([`${100_000 + index}`, `${100_000 + index}`, 200]);
    expect(application.inbox.list().map((message) => [message.to, message.code])).toEqual([
      [phone, code],
      [phone, undefined],
    ]);
    expect(application.verifications.list().map((each) => [each.id, each.wrongCodes])).toEqual([[id, 1]]);
    expect((await listMessages(application)).map(({ request_id }) => request_id)).toEqual([requestId]);
    const subjects = new Set(receiver.data().map((data) => data.verification_id ?? data.request_id));
    expect(subjects).toEqual(new Set([id, requestId]));
    expect(receiver.arrivals).toHaveLength(application.deliveries.list().length);
    expect(application.usage().messages.total).toBe(1);
    expect(application.clock.now()).toBe(began + (index + 1) * 1_000);
  }
  expect([sandbox.inbox.list(), sandbox.deliveries.list(), sandbox.clock.now()]).toEqual([[], [], began]);
});

/** Creates two applications with one message each, whose SENT event is still being retried. */
async function startTwo() {
  const { sandbox, clock } = await start();
  const [one, other] = [sandbox.createApplication(), sandbox.createApplication()];
  const receivers = [createReceiver(500), createReceiver(500)] as const;
  one.deliverTo(receivers[0].handler);
  other.deliverTo(receivers[1].handler);
  for (const application of [one, other]) {
    application.faults.add({ on: "POST /messages", to: phone, action: { type: "answer", status: 503 } });
    await post(application, "/messages", messageRequest({ recipients: [silent] }));
  }
  await clock.advance(50);
  return { sandbox, clock, one, other, receivers };
}

/** Returns everything that an application shows. */
function look({ inbox, deliveries, endpoints, faults, clock, env, usage }: SandboxApplication) {
  return structuredClone([
    inbox.list(),
    deliveries.list(),
    endpoints.list(),
    faults.list(),
    faults.firings(),
    [clock.now(), clock.mode()],
    env,
    usage(),
  ]);
}

test.each<[string, (one: SandboxApplication) => unknown]>([
  ["another endpoint", (one) => one.deliverTo("http://localhost:1/elsewhere")],
  ["a reset", (one) => one.reset()],
  ["its removal", (one) => one.remove()],
  ["a revoked key", (one) => one.revokeApiKey()],
  ["a rotated key", (one) => one.rotateApiKey()],
  ["another signing secret", (one) => one.regenerateSigningSecret()],
  ["a configuration", (one) => one.configure({ settings: { codeDigits: 4 }, dialect: { envelope: "type" } })],
  ["an advance", (one) => one.clock.advance("30s")],
  ["a frozen clock", (one) => one.clock.set("frozen")],
  ["an empty inbox", (one) => one.inbox.clear()],
  ["no faults", (one) => one.faults.clear()],
  ["a delivery sent again", (one) => one.deliveries.sendAgain(one.deliveries.list()[0]?.id ?? "")],
])("%s of one application does not affect another", async (_, call) => {
  const { one, other, clock, receivers } = await startTwo();
  const before = look(other);
  await call(one);
  expect(look(other)).toEqual(before);
  await clock.advance(30_000);
  expect(receivers[1].arrivals).toHaveLength(2);
});

test("an id of one application is unknown to another", async () => {
  const { one, other } = await startTwo();
  const before = look(one);
  const delivery = one.deliveries.list()[0]?.id ?? "";
  const endpoint = one.endpoints.list()[0]?.id ?? "";
  await expect(other.deliveries.sendAgain(delivery)).rejects.toMatchObject({ code: "delivery_unknown" });
  const message = one.inbox.list()[0]?.id ?? "";
  await expect(other.inbox.wait({ to: phone, after: message })).rejects.toMatchObject({ code: "message_unknown" });
  for (const [call, code] of [
    [() => other.inbox.remove(message), "message_unknown"],
    [() => other.endpoints.remove(endpoint), "endpoint_unknown"],
    [() => other.endpoints.enable(endpoint), "endpoint_unknown"],
    [() => other.endpoints.setEvents(endpoint, ["verification.update"]), "endpoint_unknown"],
    [() => other.faults.remove(one.faults.list()[0]?.id ?? ""), "fault_unknown"],
  ] as const) {
    expect(call).toThrow(expect.objectContaining({ code }));
  }
  expect(look(one)).toEqual(before);
});
