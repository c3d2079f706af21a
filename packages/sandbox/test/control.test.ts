import { describe, expect, test } from "vitest";
import { control } from "./support/control.ts";
import { addReceiver, createReceiver, serve } from "./support/receiver.ts";
import { headersOf, messageRequest, phone, post, start, startVerification } from "./support/start.ts";

describe("control API", () => {
  const encoded = encodeURIComponent(phone);

  test("lists the inbox of one number or of all", async () => {
    const { sandbox } = await start();
    await startVerification(sandbox);
    await post(sandbox, "/messages", messageRequest({ recipients: ["+436641234567"] }));
    const list = async (query: string) => (await fetch(`${sandbox.url}/_sandbox/inbox${query}`)).json();
    expect(await list("")).toEqual({ messages: sandbox.inbox.list() });
    expect(await list(`?to=${encoded}`)).toEqual({ messages: sandbox.inbox.list({ to: phone }) });
  });

  test("holds a wait open until the message comes", async () => {
    const { sandbox } = await start();
    const waiting = fetch(`${sandbox.url}/_sandbox/inbox/wait?to=${encoded}`);
    const { code } = await startVerification(sandbox);
    const message = (await (await waiting).json()) as { id: string; code: string };
    expect(message.code).toBe(code);
    const next = fetch(`${sandbox.url}/_sandbox/inbox/wait?to=${encoded}&after=${message.id}`);
    await startVerification(sandbox);
    expect(await (await next).json()).toEqual(sandbox.inbox.list()[1]);
  });

  test("sends the page an event at the start and after each change", async () => {
    const { sandbox } = await start();
    const response = await fetch(`${sandbox.url}/_sandbox/changes`);
    const reader = response.body?.getReader();
    const chunk = async () => new TextDecoder().decode((await reader?.read())?.value);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await chunk()).toBe("data: changed\n\n");
    await startVerification(sandbox);
    expect(await chunk()).toBe("data: changed\n\n");
    const next = chunk();
    sandbox.reset();
    expect(await next).toBe("data: changed\n\n");
  });

  test("ends the stream of changes when the sandbox closes", async () => {
    const { sandbox } = await start({ port: "none" });
    const response = await sandbox.fetch(new Request(`${sandbox.url}/_sandbox/changes`));
    const all = response.text();
    await sandbox.close();
    expect(await all).toBe("data: changed\n\n");
  });

  test("adds an application, configures it, reports its usage, and removes it", async () => {
    const { sandbox } = await start();
    const created = await control(sandbox, "POST", "/applications", { name: "Shop", settings: { codeDigits: 8 } });
    expect(created).toMatchObject({ status: 201, body: { name: "Shop", apiKey: expect.any(String), endpoints: [] } });
    const at = `/applications/${created.body?.id}`;
    const changed = await control(sandbox, "PATCH", `${at}/application`, { name: "Shop 2" });
    expect(changed).toMatchObject({ status: 200, body: { name: "Shop 2", settings: { codeDigits: 8 } } });
    expect((await control(sandbox, "GET", `${at}/application`)).body).toEqual(changed.body);
    const [, application] = sandbox.applications();
    await post(application ?? expect.fail(), "/messages", messageRequest());
    expect((await control(sandbox, "GET", `${at}/usage`)).body).toMatchObject({ messages: { total: 1 } });
    const listed = (await control(sandbox, "GET", "/applications")).body?.applications;
    expect(listed).toEqual([expect.objectContaining({ id: "default" }), changed.body]);
    expect((await control(sandbox, "DELETE", `${at}/application`)).status).toBe(204);
    expect((await control(sandbox, "GET", `${at}/application`)).status).toBe(404);
  });

  test("rotates and revokes the key and regenerates the secret of the named application", async () => {
    const { sandbox } = await start();
    const application = sandbox.createApplication();
    const before = sandbox.env;
    const at = `/applications/${application.id}`;
    expect((await control(sandbox, "POST", `${at}/api_key`)).body).toEqual({ apiKey: application.env.SERVICE_API_KEY });
    expect((await post(application, "/messages", messageRequest())).status).toBe(200);
    const { body } = await control(sandbox, "POST", `${at}/signing_secret`);
    expect(body).toEqual({ signingSecret: application.env.WEBHOOK_SECRET });
    expect((await control(sandbox, "DELETE", `${at}/api_key`)).status).toBe(204);
    expect((await post(application, "/messages", messageRequest())).status).toBe(401);
    expect(sandbox.env).toEqual(before);
  });

  test("shows, sets and advances the clock, and answers when everything is complete", async () => {
    const { sandbox } = await start();
    const receiver = createReceiver(500);
    sandbox.deliverTo(await serve(receiver));
    const real = { now: "2026-09-21T14:13:20.000Z", mode: "real" };
    expect((await control(sandbox, "GET", "/clock")).body).toEqual(real);
    const frozen = await control(sandbox, "PUT", "/clock", { mode: "frozen" });
    expect(frozen.body).toEqual({ ...real, mode: "frozen" });
    await post(sandbox, "/messages", messageRequest({ recipients: ["+491713920020"] }));
    const advanced = await control(sandbox, "POST", "/clock/advance", { by: "1h12m30s50ms" });
    expect(advanced.body).toEqual({ now: "2026-09-21T15:25:50.050Z", mode: "frozen" });
    expect(receiver.arrivals).toHaveLength(5);
    const scaled = await control(sandbox, "PUT", "/clock", { mode: { scale: 2.5 } });
    expect(scaled.body).toEqual({ ...advanced.body, mode: { scale: 2.5 } });
  });

  test("sends a delivery again, replays failed ones, and waits for one that was delivered", async () => {
    const { sandbox } = await start({ clock: "frozen", settings: { webhookRetryDelaysSeconds: [] } });
    let status = 500;
    sandbox.deliverTo(() => new Response(null, { status }));
    await post(sandbox, "/messages", messageRequest());
    await sandbox.clock.advance("1s");
    const [first] = sandbox.deliveries.list();
    const again = await control(sandbox, "POST", `/deliveries/${first?.id}/send_again`);
    expect(again.body).toMatchObject({ id: first?.id, status: "failed", attempts: [{}, { cause: "send_again" }] });
    status = 204;
    const waiting = control(sandbox, "GET", `/deliveries/wait?to=${encoded}&eventStatus=DELIVERED`);
    const replayed = await control(sandbox, "POST", "/deliveries/replay_failed");
    expect(replayed.body).toMatchObject({ deliveries: [{ status: "delivered" }, { status: "delivered" }] });
    expect((await waiting).body).toMatchObject({ eventStatus: "DELIVERED", recipient: phone, status: "delivered" });
  });

  test("lists endpoints, changes their events, enables and removes them", async () => {
    const { sandbox } = await start({ clock: "frozen", settings: { disableAfterSeconds: 1 } });
    const { id } = sandbox.endpoints.add({ target: createReceiver(500).handler });
    await post(sandbox, "/messages", messageRequest());
    await sandbox.clock.advance("1m");
    const listed = async () => (await control(sandbox, "GET", "/endpoints")).body?.endpoints;
    expect(await listed()).toMatchObject([{ id, status: "disabled" }]);
    expect((await control(sandbox, "POST", `/endpoints/${id}/enable`)).status).toBe(204);
    const events = ["verification.update"];
    expect((await control(sandbox, "PATCH", `/endpoints/${id}`, { events })).status).toBe(204);
    expect(await listed()).toMatchObject([{ id, status: "enabled", events }]);
    expect((await control(sandbox, "GET", "/account/mails")).body).toMatchObject({
      mails: [{ applicationId: "default" }],
    });
    expect((await control(sandbox, "DELETE", `/endpoints/${id}`)).status).toBe(204);
    expect(await listed()).toEqual([]);
  });

  test("registers senders, rents numbers, shows the account, and removes both again", async () => {
    const { sandbox } = await start();
    const number = { phone, applicationId: "default" };
    expect((await control(sandbox, "POST", "/account/senders", { name: "Shop 24" })).status).toBe(201);
    expect((await control(sandbox, "POST", "/account/numbers", number)).status).toBe(201);
    expect((await control(sandbox, "GET", "/account")).body).toMatchObject({
      senders: [{ name: "Doorcode" }, { name: "Shop 24" }],
      numbers: [{ ...number, capabilities: ["voice", "SMS"] }],
    });
    expect((await control(sandbox, "DELETE", "/account/senders/Shop%2024")).status).toBe(204);
    expect((await control(sandbox, "DELETE", `/account/numbers/${encoded}`)).status).toBe(204);
    const { body } = await control(sandbox, "GET", "/account");
    expect(body).toMatchObject({ senders: [{ name: "Doorcode" }], numbers: [] });
  });

  test("deletes one message, the messages to a number, or all, and lists verifications", async () => {
    const { sandbox } = await start();
    const other = "+436641234567";
    await post(sandbox, "/messages", messageRequest({ recipients: [phone, phone, other, other] }));
    await startVerification(sandbox);
    const left = () => sandbox.inbox.list().map(({ to }) => to);
    expect((await control(sandbox, "DELETE", `/inbox/${sandbox.inbox.list()[0]?.id}`)).status).toBe(204);
    expect(left()).toEqual([phone, other, other, phone]);
    expect((await control(sandbox, "DELETE", `/inbox?to=${encoded}`)).status).toBe(204);
    expect(left()).toEqual([other, other]);
    expect((await control(sandbox, "DELETE", "/inbox")).status).toBe(204);
    expect(left()).toEqual([]);
    const { body } = await control(sandbox, "GET", "/verifications");
    expect(body).toEqual(JSON.parse(JSON.stringify({ verifications: sandbox.verifications.list() })));
  });
});

describe("reset", () => {
  test.each([
    ["in process", async (sandbox: { reset(): void }) => sandbox.reset()],
    ["over HTTP", async ({ url }: { url: string }) => void (await fetch(`${url}/_sandbox/reset`, { method: "POST" }))],
  ])("removes the history and the scheduled tasks, %s", async (_, reset) => {
    const { sandbox, clock } = await start();
    const receiver = addReceiver(sandbox, 500);
    await post(sandbox, "/messages", messageRequest());
    await startVerification(sandbox);
    await clock.advance(50);
    const before = receiver.arrivals.length;
    await reset(sandbox);
    expect([sandbox.inbox.list(), sandbox.deliveries.list(), clock.pending]).toEqual([[], [], 0]);
    await clock.advance(86_400_000);
    expect(receiver.arrivals).toHaveLength(before);
  });

  test("keeps applications and endpoints", async () => {
    const { sandbox, clock } = await start();
    const receiver = createReceiver();
    const second = sandbox.createApplication();
    second.deliverTo(receiver.handler);
    sandbox.reset();
    await post(second, "/messages", messageRequest());
    await clock.advance(50);
    expect(receiver.arrivals).toHaveLength(1);
  });

  test("starts no clock after the sandbox was closed", async () => {
    const { sandbox, clock } = await start();
    await sandbox.close();
    sandbox.reset();
    const headers = headersOf(sandbox);
    const init = { method: "POST", headers, body: JSON.stringify(messageRequest()) };
    await sandbox.fetch(new Request(`${sandbox.env.SERVICE_URL}/messages`, init));
    expect(clock.pending).toBe(0);
  });
});
