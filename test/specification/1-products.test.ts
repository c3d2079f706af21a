import { expect } from "vitest";
import { describePart } from "./describe-part.ts";
import { startReceiver } from "./support/receiver.ts";
import { accepted, message, startService, verification } from "./support/recorded-service.ts";
import {
  call,
  messageRequest,
  otherPhone,
  phone,
  send,
  startSandbox,
  verificationRequest,
  verify,
} from "./support/sandbox.ts";

const channels = ["SMS", "WHATSAPP", "VIBER", "TELEGRAM", "VOICE"];

describePart(1, ({ sandbox, kit }) => {
  sandbox("service.http-api", async () => {
    const running = await startSandbox();
    expect(running.env.SERVICE_URL.startsWith(`${running.url}/`)).toBe(true);
    expect((await call(running, "GET /messages")).status).toBe(200);
    expect((await call(running, "GET /elsewhere")).status).toBe(404);
  });

  kit("service.http-api", async () => {
    const { client, requests } = await startService({ body: accepted.message }, "/some/base");
    await client.messages.send(message);
    expect(requests.map(({ route }) => route)).toEqual(["POST /some/base/messages"]);
  });

  sandbox("service.json-bodies", async () => {
    const running = await startSandbox();
    const answers = [
      await call(running, "POST /messages", messageRequest()),
      await call(running, "GET /messages"),
      await call(running, "POST /messages", "recipients=1"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
    for (const { headers, text } of answers) {
      expect(headers.get("content-type")).toMatch(/^application\/json\b/);
      expect(() => JSON.parse(text)).not.toThrow();
    }
  });

  kit("service.json-bodies", async () => {
    const { client, sent } = await startService({ body: accepted.message });
    await client.messages.send(message);
    expect(sent()).toEqual(message);
    const html = await startService({ body: "<h1>Welcome</h1>" });
    await expect(html.client.messages.send(message)).rejects.toMatchObject({ code: "service_unreadable" });
  });

  sandbox("service.products.row-1", async () => {
    const running = await startSandbox();
    const receiver = await startReceiver();
    running.deliverTo(receiver.url);
    const [one] = await send(running);
    const many = await send(running, { recipients: [phone, otherPhone] });
    await running.clock.advance("1m");

    expect(running.inbox.list().map(({ to, channel }) => [to, channel])).toEqual([
      [phone, "SMS"],
      [phone, "SMS"],
      [otherPhone, "SMS"],
    ]);
    const tracked = receiver.arrivals
      .filter(({ data }) => data.status === "DELIVERED")
      .map(({ data }) => data.message_id);
    expect(tracked.toSorted()).toEqual([one, ...many].map((entry) => entry?.message_id).toSorted());
  });

  kit("service.products.row-1", async () => {
    const { client, sent } = await startService({ body: accepted.message });
    const recipients = [phone, otherPhone];
    await client.messages.send({ ...message, recipients });
    expect(sent().recipients).toEqual(recipients);
  });

  sandbox("service.rules.1", async () => {
    const running = await startSandbox();
    const request = messageRequest();
    for (const channel of channels) {
      const entry = { channel, sender: "Doorcode", content: { text: "Hello" } };
      const { status } = await call(running, "POST /messages", { ...request, channels: [entry] });
      expect([channel, status === 200]).toEqual([channel, channel === "SMS"]);
    }
    expect(running.inbox.list().map(({ channel }) => channel)).toEqual(["SMS"]);
  });

  kit("service.rules.1", async () => {
    const { client, requests } = await startService({ body: accepted.message });
    const other = JSON.parse(JSON.stringify(message).replace('"SMS"', '"WHATSAPP"'));
    await expect(client.messages.send(other)).rejects.toMatchObject({ code: "service_invalid_request" });
    expect(requests).toEqual([]);
  });

  sandbox("service.rules.2", async () => {
    const running = await startSandbox();
    for (const channel_name of channels) {
      const entry = { channels: [{ channel_name, priority: 1 }] };
      expect((await call(running, "POST /verifications", verificationRequest(entry))).status).toBe(200);
    }
    expect(running.inbox.list().map(({ channel }) => channel)).toEqual(channels);
  });

  kit("service.rules.2", async () => {
    const { client, sent } = await startService({ body: accepted.verification });
    const entries = channels.map((channel_name, index) => ({ channel_name, priority: index + 1 }));
    await client.verifications.create({ ...verification, channels: entries });
    expect(sent().channels).toEqual(entries);
  });

  sandbox("service.rules.3", async () => {
    const running = await startSandbox({ behaviours: { [phone]: "sms_fails" } });
    const receiver = await startReceiver();
    running.deliverTo(receiver.url);
    const [entry] = await send(running);
    const { code } = await verify(running);
    expect([entry?.status, code.length, receiver.arrivals]).toEqual(["QUEUED", 6, []]);

    await running.clock.advance("1m");
    expect(receiver.statuses().filter((status) => status === "FAILED").length).toBeGreaterThanOrEqual(2);
  });

  sandbox("service.rules.4", async () => {
    const running = await startSandbox();
    expect(running.account.get()).toMatchObject({
      company: expect.stringMatching(/./),
      ownerEmail: expect.stringMatching(/@/),
    });
    for (const path of ["/accounts", "/account", "/signup", "/users"]) {
      expect((await call(running, `POST ${path}`, { email: "someone@example.com" })).status).toBe(404);
    }
  });

  sandbox("service.rules.6", async () => {
    const running = await startSandbox();
    const rented = "+4915112340000";
    running.account.rentNumber({
      phone: rented,
      applicationId: running.id,
      kind: "mobile",
      capabilities: ["voice", "SMS"],
      routing: "sip_trunk",
    });
    await send(running, { channels: [{ channel: "SMS", sender: rented, content: { text: "Hello" } }] });
    await running.clock.advance("1m");
    expect(running.inbox.list().map((found) => [found.sender, found.status])).toEqual([[rented, "DELIVERED"]]);
  });
});
