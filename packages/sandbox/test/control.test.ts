import { describe, expect, test } from "vitest";
import { createReceiver, serve } from "./support/receiver.ts";
import { messageRequest, phone, post, start, startVerification } from "./support/start.ts";

describe("inbox", () => {
  test("shows channel, text, code, segments and the delivery timeline", async () => {
    const { sandbox, clock } = await start();
    const { code } = await startVerification(sandbox);
    await clock.advance(250);
    expect(sandbox.inbox.list()).toEqual([
      {
        id: expect.any(String),
        requestId: expect.any(String),
        to: phone,
        channel: "SMS",
        text: `Your code is ${code}`,
        code,
        segments: 1,
        status: "DELIVERED",
        createdAt: "2026-09-21T14:13:20.000Z",
        timeline: [
          { status: "QUEUED", at: "2026-09-21T14:13:20.000Z" },
          { status: "SENT", at: "2026-09-21T14:13:20.050Z" },
          { status: "DELIVERED", at: "2026-09-21T14:13:20.250Z" },
        ],
      },
    ]);
  });

  test("counts segments of SMS, and of no other channel", async () => {
    const { sandbox, clock } = await start({ templates: { long: `${"a".repeat(200)}{{code}}` } });
    const channels = [
      { channel_name: "SMS", priority: 1 },
      { channel_name: "VOICE", priority: 2 },
    ];
    const template = { name: "long" };
    await startVerification(sandbox, { recipient: "+491713920010", template, channels });
    await clock.advance(250);
    expect(sandbox.inbox.list().map(({ segments }) => segments)).toEqual([2, 1]);
  });

  test("waits until a message comes, and answers at once when it is there", async () => {
    const { sandbox } = await start();
    const waiting = sandbox.inbox.wait({ to: phone });
    const { code } = await startVerification(sandbox);
    expect((await waiting).code).toBe(code);
    expect((await sandbox.inbox.wait({ to: phone, timeoutSeconds: 0 })).code).toBe(code);
  });

  test("answers the newest message, and after one only those that came later", async () => {
    const { sandbox, clock } = await start();
    await startVerification(sandbox);
    const first = await sandbox.inbox.wait({ to: phone });
    const waiting = sandbox.inbox.wait({ to: phone, after: first.id });
    await clock.advance(250);
    await post(sandbox, "/messages", messageRequest({ recipients: ["+436641234567"] }));
    await startVerification(sandbox);
    const second = await waiting;
    expect(second.id).toBe(sandbox.inbox.list()[2]?.id);
    expect((await sandbox.inbox.wait({ to: phone })).id).toBe(second.id);
  });

  test("gives up when no message came in time, with nobody's number in the error", async () => {
    const { sandbox } = await start();
    const refused = await sandbox.inbox.wait({ to: phone, timeoutSeconds: 0 }).catch((error: Error) => error);
    expect(refused).toMatchObject({ name: "SandboxError", code: "message_missing" });
    expect(String(refused)).not.toContain("1511234");
  });

  test("refuses to wait after a message that it does not know", async () => {
    const { sandbox } = await start();
    await expect(sandbox.inbox.wait({ to: phone, after: "msg_1" })).rejects.toMatchObject({ code: "message_unknown" });
  });

  test("ends every wait when the sandbox closes", async () => {
    const { sandbox } = await start();
    const waiting = sandbox.inbox.wait({ to: phone });
    await Promise.all([sandbox.close(), expect(waiting).rejects.toMatchObject({ code: "closed" })]);
  });

  test("keeps fifty applications apart", async () => {
    const { sandbox } = await start();
    const applications = Array.from({ length: 50 }, () => sandbox.createApplication());
    const codes = await Promise.all(applications.map(async (each) => (await startVerification(each)).code));
    for (const [index, { inbox }] of applications.entries()) {
      expect(inbox.list().map(({ code }) => code)).toEqual([codes[index]]);
    }
    expect(sandbox.inbox.list()).toEqual([]);
  });
});

describe("control API", () => {
  const encoded = encodeURIComponent(phone);

  test("lists the inbox, of one number or of all", async () => {
    const { sandbox } = await start();
    await startVerification(sandbox);
    await post(sandbox, "/messages", messageRequest({ recipients: ["+436641234567"] }));
    const list = async (query: string) => (await fetch(`${sandbox.url}/_sandbox/inbox${query}`)).json();
    expect(await list("")).toEqual({ messages: sandbox.inbox.list() });
    expect(await list(`?to=${encoded}`)).toEqual({ messages: sandbox.inbox.list({ to: phone }) });
  });

  test("holds a wait open until the message is there", async () => {
    const { sandbox } = await start();
    const waiting = fetch(`${sandbox.url}/_sandbox/inbox/wait?to=${encoded}`);
    const { code } = await startVerification(sandbox);
    const message = (await (await waiting).json()) as { id: string; code: string };
    expect(message.code).toBe(code);
    const next = fetch(`${sandbox.url}/_sandbox/inbox/wait?to=${encoded}&after=${message.id}`);
    await startVerification(sandbox);
    expect(await (await next).json()).toEqual(sandbox.inbox.list()[1]);
  });

  test.each([
    [`to=${encoded}&timeout=0`, 404, "inbox.message_missing"],
    [`to=${encoded}&after=msg_1`, 404, "inbox.message_unknown"],
    ["", 422, "request.invalid"],
    [`to=${encoded}&timeout=soon`, 422, "request.invalid"],
    [`to=${encoded}&timeout=-1`, 422, "request.invalid"],
  ])("refuses a wait with ?%s", async (query, status, error_code) => {
    const { sandbox } = await start();
    const response = await fetch(`${sandbox.url}/_sandbox/inbox/wait?${query}`);
    expect({ status: response.status, ...((await response.json()) as object) }).toMatchObject({ status, error_code });
  });

  test("registers endpoints with their choice of events, and each gets what it chose", async () => {
    const { sandbox, clock } = await start();
    const [messages, both] = [createReceiver(), createReceiver()];
    const register = async (body: object) => {
      const headers = { "Content-Type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      return (await fetch(`${sandbox.url}/_sandbox/endpoints`, init)).status;
    };
    const url = await serve(messages);
    expect(await register({ url })).toBe(201);
    expect(await register({ url, events: ["message.status.update"] })).toBe(201);
    expect(await register({ url: await serve(both) })).toBe(201);
    expect(await register({ url: "https://example.com/hook" })).toBe(422);
    expect(await register({ url, events: ["everything"] })).toBe(422);

    await post(sandbox, "/messages", messageRequest());
    await startVerification(sandbox);
    await clock.advance(50);
    await sandbox.deliveries.settled();
    expect(messages.arrivals.map(({ payload }) => payload.event)).toEqual(["message.status.update"]);
    expect(both.arrivals.map(({ payload }) => payload.event).sort()).toEqual([
      "message.status.update",
      "verification.update",
    ]);
  });

  test("lists the deliveries with their attempts", async () => {
    const { sandbox, clock } = await start();
    sandbox.deliverTo(() => new Response("not today", { status: 500 }));
    await startVerification(sandbox);
    await clock.advance(50);
    const response = await fetch(`${sandbox.url}/_sandbox/deliveries`);
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify({ deliveries: sandbox.deliveries.list() })));
    expect(sandbox.deliveries.list()).toMatchObject([
      { event: "verification.update", status: "pending", attempts: [{ status: 500, answer: "not today" }] },
    ]);
  });

  test("tells the page of changes, at the start and at each", async () => {
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
});

describe("reset", () => {
  test.each([
    ["in process", async (sandbox: { reset(): void }) => sandbox.reset()],
    ["over HTTP", async ({ url }: { url: string }) => void (await fetch(`${url}/_sandbox/reset`, { method: "POST" }))],
  ])("forgets what happened and all that was to come, %s", async (_, reset) => {
    const { sandbox, clock } = await start();
    const receiver = createReceiver(500);
    sandbox.deliverTo(receiver.handler);
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

  test("drops the result of an attempt that is under way", async () => {
    const { sandbox, clock } = await start();
    const answer = Promise.withResolvers<Response>();
    const asked = Promise.withResolvers<void>();
    sandbox.deliverTo(() => {
      asked.resolve();
      return answer.promise;
    });
    await post(sandbox, "/messages", messageRequest());
    await clock.advance(50);
    await asked.promise;
    sandbox.reset();
    answer.resolve(new Response(null, { status: 500 }));
    await sandbox.deliveries.settled();
    expect([sandbox.deliveries.list(), clock.pending]).toEqual([[], 0]);
  });
});
