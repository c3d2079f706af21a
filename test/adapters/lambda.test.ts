import { phoneLogin, requireLogin, webhooks } from "@doorcode/fetch";
import { Hono } from "hono";
import { handle, type LambdaEvent } from "hono/aws-lambda";
import { expect, test } from "vitest";
import { createKit, phone, signed } from "./adapter-setup.ts";
import { relay } from "./serve-hono.ts";

/** What API Gateway gives to a function, as far as these requests need it. */
function eventOf(method: string, path: string, headers: Record<string, string>, cookies: string[], body?: string) {
  return {
    version: "2.0",
    rawPath: path,
    rawQueryString: "",
    cookies,
    headers: { host: "localhost", ...headers },
    requestContext: { domainName: "localhost", http: { method, path, sourceIp: "192.0.2.7" } },
    isBase64Encoded: false,
    ...(body !== undefined && { body }),
  } as unknown as LambdaEvent;
}

test("a login, a guard and a webhook work in a handler of AWS Lambda", async () => {
  const clients: string[] = [];
  const kit = await createKit({ login: { beforeSend: ({ client }) => void clients.push(client.address ?? "") } });
  const login = phoneLogin(kit.doorcode, { basePath: "/login" });
  const deliver = webhooks(kit.doorcode, { basePath: "/webhooks" });
  const guard = requireLogin(kit.doorcode);
  const app = new Hono<{ Bindings: { event: { requestContext: { http: { sourceIp: string } } } } }>();
  app.use("/login/*", async (c, next) =>
    relay(c, next, await login(c.req.raw, { remoteAddress: c.env.event.requestContext.http.sourceIp })),
  );
  app.use("/webhooks", async (c, next) => relay(c, next, await deliver(c.req.raw)));
  app.get("/account", async (c) => {
    const result = await guard(c.req.raw);
    return "response" in result ? result.response : c.json({ id: result.session.userId });
  });
  const handler = handle(app);
  const cookies = new Map<string, string>();

  async function send(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
    const own = { "content-type": "application/json", "sec-fetch-site": "same-origin", ...headers };
    const result = await handler(
      eventOf(
        method,
        path,
        own,
        [...cookies].map((pair) => pair.join("=")),
        body,
      ),
    );
    for (const cookie of ("cookies" in result ? result.cookies : undefined) ?? []) {
      const [, name = "", value = ""] = cookie.match(/^([^=]+)=([^;]*)/) ?? [];
      cookies.set(name, value);
    }
    return { status: result.statusCode, body: result.body };
  }

  const started = await send("POST", "/login/start", JSON.stringify({ phone }));
  const confirmed = await send("POST", "/login/confirm", JSON.stringify({ code: kit.service.code }));
  const account = await send("GET", "/account");
  const delivery = JSON.stringify({ event: "message.status.update", data: { message_id: "m", status: "SENT" } });
  const delivered = await send("POST", "/webhooks", delivery, signed(delivery, kit.clock.now()));

  expect([started.status, confirmed.status, account.body]).toEqual([200, 200, '{"id":"user_1"}']);
  expect([delivered.status, kit.handled.length]).toEqual([204, 1]);
  expect(clients).toEqual(["192.0.2.7"]);
});
