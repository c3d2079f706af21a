import { createServer, type RequestListener } from "node:http";
import { createSandbox } from "@doorcode/sandbox";
import supertest from "supertest";
import { expect, onTestFinished, test, vi } from "vitest";
import { createApp } from "../../examples/turnstile/app.ts";
import { listen } from "../support/listen.ts";

const phone = "+4915123456105";

async function serve(listener: RequestListener): Promise<string> {
  const { url, close } = await listen(createServer(listener));
  onTestFinished(close);
  return url;
}

/** Starts the example with a verification of its tokens that knows one right token, and no network. */
async function setUp() {
  const asked: Record<string, string>[] = [];
  const turnstile = { isDown: false };
  const url = await serve(async (request, response) => {
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(await request.toArray()).toString()));
    asked.push(form);
    if (turnstile.isDown) return void response.writeHead(502).end("<html>");
    const isRight = form.secret === "secret key" && form.response === "right token";
    const answer = isRight ? { success: true } : { success: false, "error-codes": ["invalid-input-response"] };
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  });
  const sandbox = await createSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const keys = { TURNSTILE_SITE_KEY: "site-key", TURNSTILE_SECRET_KEY: "secret key", TURNSTILE_VERIFY_URL: url };
  const app = await serve(createApp({ ...sandbox.env, ...keys }));
  const open = () => {
    const browser = supertest.agent(app).set("sec-fetch-site", "same-origin").set("accept", "text/html");
    return {
      page: () => browser.get("/login"),
      post: async (path: string, fields: Record<string, string>) =>
        (await browser.post(`/login/${path}`).type("form").send(fields)).headers.location,
    };
  };
  return { sandbox, open, asked, turnstile };
}

test("examples/turnstile sends a code to a new device only for a solved challenge, and to a known one without", async () => {
  const { sandbox, open, asked } = await setUp();
  const browser = open();
  expect((await browser.page()).text).toContain('data-sitekey="site-key" data-response-field-name="challenge"');
  expect(await browser.post("start", { phone })).toBe("/login?problem=challenge_required");
  expect(await browser.post("start", { phone, challenge: "false token" })).toBe("/login?problem=challenge_required");
  expect(await browser.post("start", { phone, challenge: "right token" })).toBe("/login");
  expect(asked).toEqual([
    { secret: "secret key", response: "false token", remoteip: "127.0.0.1" },
    { secret: "secret key", response: "right token", remoteip: "127.0.0.1" },
  ]);

  const { code } = await sandbox.inbox.wait({ to: phone });
  expect(await browser.post("confirm", { code: code ?? "" })).toBe("/account");
  await browser.post("logout", {});
  expect(await browser.post("start", { phone })).toBe("/login");
  expect(asked).toHaveLength(2);
});

test("examples/turnstile sends nothing while Turnstile is down", async () => {
  const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
  onTestFinished(() => warned.mockRestore());
  const { open, turnstile } = await setUp();
  turnstile.isDown = true;
  // Its own number: the examples of one process share their memory store.
  const fields = { phone: "+4915123456106", challenge: "right token" };
  expect(await open().post("start", fields)).toMatch(/^\/login\?problem=send_undecided&/);
});

test("examples/turnstile does not start without its keys", () => {
  expect(() => createApp({})).toThrow("TURNSTILE_SECRET_KEY");
});
