import { createServer } from "node:http";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import supertest from "supertest";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createApp as createAppCodes } from "../../examples/app-codes/app.ts";
import { createApp as createExpressLogin } from "../../examples/express-login/app.ts";
import { createApp as createFastifyLogin } from "../../examples/fastify-login/app.ts";
import { createApp as createWebhooksOnly } from "../../examples/webhooks-only/app.ts";
import { listen } from "../support/listen.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ port: 0 });
});
afterAll(() => sandbox.close());

const examples = [
  { name: "express-login", phone: "+4915123456101", serve: async () => createServer(createExpressLogin(sandbox.env)) },
  { name: "app-codes", phone: "+4915123456102", serve: async () => createServer(createAppCodes(sandbox.env)) },
  {
    name: "fastify-login",
    phone: "+4915123456103",
    serve: async () => {
      const app = createFastifyLogin(sandbox.env);
      await app.ready();
      return app.server;
    },
  },
];

describe.each(examples)("examples/$name", ({ phone, serve }) => {
  test("logs in and out by its two forms, without a script", async () => {
    const app = await listen(await serve());
    const browser = supertest.agent(app.url).set("sec-fetch-site", "same-origin").set("accept", "text/html");

    const closed = await browser.get("/account");
    expect([closed.status, closed.headers.location]).toEqual([303, "/login?next=%2Faccount"]);

    const empty = await browser.get("/login?next=%2Faccount");
    expect(empty.text).toContain('action="/login/start"');
    const started = await browser.post("/login/start").type("form").send({ phone, next: "/account" });
    expect([started.status, started.headers.location]).toEqual([303, "/login?next=%2Faccount"]);

    const asking = await browser.get("/login?next=%2Faccount");
    expect(asking.text).toContain('autocomplete="one-time-code"');
    expect(asking.text).not.toContain(phone);
    const wrong = await browser.post("/login/confirm").type("form").send({ code: "000000", next: "/account" });
    expect(wrong.headers.location).toBe("/login?problem=code_rejected&next=%2Faccount");
    expect((await browser.get(wrong.headers.location ?? "")).text).toContain('role="alert"');

    const { code } = await sandbox.inbox.wait({ to: phone });
    const confirmed = await browser.post("/login/confirm").type("form").send({ code, next: "/account" });
    expect([confirmed.status, confirmed.headers.location]).toEqual([303, "/account"]);
    expect((await browser.get("/account")).text).toContain(phone);

    await browser.post("/login/logout").type("form").send({});
    expect((await browser.get("/account")).status).toBe(303);
    await app.close();
  });
});

test("examples/webhooks-only prints the status of each message, and shows nothing over HTTP", async () => {
  const printed = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  onTestFinished(() => printed.mockRestore());
  const app = await listen(createServer(createWebhooksOnly(sandbox.env)));
  sandbox.deliverTo(`${app.url}/webhooks`);
  const message = {
    recipients: ["+4915123456104"],
    channels: [{ channel: "SMS", sender: "Doorcode", content: { text: "Hi" } }],
  };
  const accepted = await supertest(sandbox.env.SERVICE_URL)
    .post("/messages")
    .set("x-api-key", sandbox.env.SERVICE_API_KEY)
    .send(message);
  const id = accepted.body.messages[0].message_id;
  const lines = () => printed.mock.calls.map(([text]) => String(text)).filter((text) => text.includes(id));
  await expect.poll(() => lines().at(-1), { timeout: 10_000 }).toBe(`${id} DELIVERED\n`);
  for (const path of ["/", "/messages", "/webhooks", "/webhooks/messages"]) {
    const answer = await supertest(app.url).get(path);
    expect([path, answer.status]).toEqual([path, path === "/webhooks" ? 405 : 404]);
    expect(answer.text).not.toContain(id);
  }
  await app.close();
});
