import { describe, expect, test } from "vitest";
import { createReceiver } from "./support/receiver.ts";
import { messageRequest, phone, post, start } from "./support/start.ts";

const other = "+436641234567";

describe("POST /messages", () => {
  test("answers with one queued message for each recipient and channel entry, each with its own id", async () => {
    const { sandbox } = await start({ senders: ["Second"] });
    const content = { text: "Hello" };
    const { status, body } = await post(sandbox, "/messages", {
      recipients: [phone, other],
      channels: [
        { channel: "SMS", sender: "Doorcode", content },
        { channel: "SMS", sender: "Second", content },
      ],
    });
    const messages = body.messages as { message_id: string; recipient: string; status: string }[];

    expect({ status, answer: body.status }).toEqual({ status: 200, answer: "SUCCESS" });
    expect(body.request_id).toEqual(expect.any(String));
    expect(messages.map(({ recipient, status }) => [recipient, status])).toEqual([
      [phone, "QUEUED"],
      [phone, "QUEUED"],
      [other, "QUEUED"],
      [other, "QUEUED"],
    ]);
    expect(new Set(messages.map(({ message_id }) => message_id)).size).toBe(4);
  });

  test("becomes SENT and DELIVERED on the clock, with an event for each", async () => {
    const { sandbox, clock } = await start();
    const receiver = createReceiver();
    sandbox.deliverTo(receiver.handler);
    const { body } = await post(sandbox, "/messages", messageRequest());
    expect(receiver.arrivals).toEqual([]);

    await clock.advance(50);
    expect(receiver.statuses()).toEqual(["SENT"]);
    await clock.advance(200);
    expect(receiver.arrivals.map(({ payload }) => payload)).toEqual(
      [
        { status: "SENT", status_updated_at: "2026-09-21T14:13:20.050Z" },
        { status: "DELIVERED", status_updated_at: "2026-09-21T14:13:20.250Z" },
      ].map((change) => ({
        event: "message.status.update",
        data: {
          message_id: (body.messages as { message_id: string }[])[0]?.message_id,
          request_id: body.request_id,
          recipient: phone,
          channel: "SMS",
          ...change,
        },
      })),
    );
  });

  test("ends FAILED for a number with sms_fails, and stays SENT for one with never_delivered", async () => {
    const fails = "+491713920010";
    const silent = "+491713920020";
    const { sandbox, clock } = await start();
    await post(sandbox, "/messages", messageRequest({ recipients: [fails, silent] }));
    await clock.advance(3_600_000);
    const statuses = sandbox.inbox.list().map(({ to, status }) => [to, status]);
    expect(statuses).toEqual([
      [fails, "FAILED"],
      [silent, "SENT"],
    ]);
  });

  test("gives each status of a message its own instant, even on a stopped clock", async () => {
    const { sandbox, clock } = await start({ settings: { sentAfterMilliseconds: 0, outcomeAfterMilliseconds: 0 } });
    await post(sandbox, "/messages", messageRequest());
    await clock.advance(0);
    const instants = sandbox.inbox.list()[0]?.timeline.map(({ at }) => at) ?? [];
    expect(instants).toEqual([...new Set(instants)].sort());
    expect(instants).toHaveLength(3);
  });

  test("refuses an unregistered sender, and sends nothing", async () => {
    const { sandbox } = await start();
    const channels = ["Doorcode", "Stranger"].map((sender) => ({ channel: "SMS", sender, content: { text: "Hello" } }));
    const { status, body } = await post(sandbox, "/messages", messageRequest({ channels }));
    expect(status).toBe(422);
    expect(body).toMatchObject({ error_code: "message.sender_not_registered", field: "channels[1].sender" });
    expect(body).toMatchObject({ error_message: expect.stringContaining("in the portal, or with the option senders") });
    expect(sandbox.inbox.list()).toEqual([]);
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
});

describe("GET /messages", () => {
  test("lists the application's messages with their status, the newest first, without codes", async () => {
    const { sandbox, clock } = await start({ settings: { maxListedMessages: 2 } });
    for (const recipient of [phone, phone, other])
      await post(sandbox, "/messages", messageRequest({ recipients: [recipient] }));
    await post(sandbox, "/verifications", {
      recipient: phone,
      template: { name: "login" },
      channels: [{ channel_name: "SMS", priority: 1 }],
    });
    await clock.advance(50);

    const headers = { "X-API-KEY": sandbox.env.SERVICE_API_KEY };
    const response = await fetch(`${sandbox.env.SERVICE_URL}/messages`, { headers });
    const { messages } = (await response.json()) as { messages: Record<string, string>[] };
    expect(messages.map(({ recipient }) => recipient)).toEqual([other, phone]);
    expect(messages[0]).toEqual({
      message_id: sandbox.inbox.list()[2]?.id,
      request_id: sandbox.inbox.list()[2]?.requestId,
      recipient: other,
      channel: "SMS",
      status: "SENT",
      status_updated_at: "2026-09-21T14:13:20.050Z",
    });
  });
});
