import { expect } from "vitest";
import { describePart } from "./describe-part.ts";
import { call, messageRequest, startSandbox, verificationRequest } from "./support/sandbox.ts";

const channels = ["SMS", "WHATSAPP", "VIBER", "TELEGRAM", "VOICE"];

describePart(1, ({ sandbox }) => {
  sandbox("service.http-api", async () => {
    const running = await startSandbox();
    expect(running.env.SERVICE_URL.startsWith(`${running.url}/`)).toBe(true);
    expect((await call(running, "GET /messages")).status).toBe(200);
    expect((await call(running, "GET /elsewhere")).status).toBe(404);
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

  sandbox("service.rules.2", async () => {
    const running = await startSandbox();
    for (const channel_name of channels) {
      const entry = { channels: [{ channel_name, priority: 1 }] };
      expect((await call(running, "POST /verifications", verificationRequest(entry))).status).toBe(200);
    }
    expect(running.inbox.list().map(({ channel }) => channel)).toEqual(channels);
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
});
