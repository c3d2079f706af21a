import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { getSession, phoneLogin, requireLogin, sessionOf, webhooks } from "@doorcode/fastify";
import formbody from "@fastify/formbody";
import fastify, { type FastifyInstance } from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { openStores } from "../support/platforms.ts";
import { createKit, phone, setUpOn, signed } from "./adapter-setup.ts";
import { describeAdapter } from "./conformance.ts";
import { type AdapterHost, loginOptions } from "./host.ts";
import { createFastifyApp } from "./serve-fastify.ts";

const host: AdapterHost = {
  name: "Fastify",
  async serve(plan) {
    const { doorcode, sessions } = plan;
    const { app, serve } = createFastifyApp();
    app.addHook("onRequest", async (_request, reply) => void reply.header("set-cookie", "early=1"));
    app.addHook("onSend", async (_request, reply) => void reply.header("set-cookie", "late=1"));
    await app.register(webhooks(doorcode), { prefix: "/webhooks" });
    const login = phoneLogin(doorcode, loginOptions(plan));
    await app.register(login, { prefix: "/login" });
    app.get("/login", async () => "the app's own page");
    app.post("/login/other", async ({ body }) => body);
    app.post("/webhooks/other", async ({ body }) => body);
    if (!sessions) {
      const account = { preHandler: requireLogin(doorcode, { loginPage: "/login" }) };
      app.get("/account", account, async ({ doorcode: { userId, user } }) => ({ userId, user }));
    }
    app.get("/who", async (request) => ({ userId: (await getSession(doorcode, request))?.userId ?? null }));
    app.get("/standing", async (request) => login.state(request));
    app.get("/offered", async () => login.offer);
    return serve();
  },
};

describeAdapter(host, await openStores());

async function serveBelow(prepareParent: (app: FastifyInstance) => unknown) {
  const kit = await createKit();
  const { app, serve } = createFastifyApp();
  await prepareParent(app);
  await app.register(webhooks(kit.doorcode), { prefix: "/webhooks" });
  await app.register(phoneLogin(kit.doorcode), { prefix: "/login" });
  app.post("/echo", async ({ body }) => ({ body }));
  return setUpOn(kit, await serve());
}

test("a request that the guard refuses never reaches its route, however long a hook takes to send the refusal", async () => {
  const { doorcode } = await createKit();
  const { app, serve } = createFastifyApp();
  app.addHook("onSend", async () => void (await setImmediate()));
  let calls = 0;
  app.get("/account", { preHandler: requireLogin(doorcode) }, async () => {
    calls += 1;
    return {};
  });
  const { url, close } = await serve();
  onTestFinished(close);
  expect((await fetch(`${url}/account`)).status).toBe(401);
  expect(calls).toBe(0);
});

describe("parsers and hooks of a Fastify app", () => {
  const parents: Record<string, (app: FastifyInstance) => unknown> = {
    "a JSON parser of its own": (app) =>
      app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, text, done) =>
        done(null, JSON.parse(String(text))),
      ),
    "a parser for everything": (app) =>
      app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, bytes, done) => done(null, bytes)),
    "a parser by pattern": (app) =>
      app.addContentTypeParser(/^application\//, { parseAs: "string" }, (_request, text, done) => done(null, text)),
    "@fastify/formbody": (app) => app.register(formbody),
    "a small bodyLimit of its own routes": (app) =>
      app.addHook("onRoute", (route) => void Object.assign(route, { bodyLimit: 10 })),
    "a hook that passes another stream on": (app) =>
      app.addHook("preParsing", async (_request, _reply, payload) => Readable.from(await payload.toArray())),
    "a hook that keeps rawBody": (app) =>
      app.addHook("preParsing", async (request, _reply, payload) => {
        const rawBody = Buffer.concat(await payload.toArray());
        Object.assign(request, { rawBody });
        return Readable.from([JSON.stringify(JSON.parse(rawBody.toString()))]);
      }),
    "a serializer of its own": (app) => app.setReplySerializer((payload) => JSON.stringify({ data: payload })),
  };

  const delivery = '{ "event":"message.status.update" , "data":{"n":1.0} }';

  test.each(Object.entries(parents))("W6: a delivery keeps its exact bytes below %s", async (_, parent) => {
    const { open, clock, handled } = await serveBelow(parent);
    const init = { method: "POST", headers: signed(delivery, clock.now()), body: delivery };
    expect((await open().send("/webhooks", init)).status).toBe(204);
    expect(handled).toEqual([{ n: 1 }]);
  });

  test.each(Object.entries(parents))("a login works the same below %s", async (_, parent) => {
    const { open } = await serveBelow(parent);
    const started = await open().post("/login/start", { phone });
    expect([started.status, started.json.status]).toEqual([200, "code_sent"]);
    expect(started.headers.get("content-type")).toBe("application/json");
  });

  test("other routes keep the parsers of the app", async () => {
    const { open } = await serveBelow((app) => app.register(formbody));
    expect((await open().post("/echo", { a: 1 })).json).toEqual({ body: { a: 1 } });
    expect((await open().submit("/echo", { a: "1" })).json).toEqual({ body: { a: "1" } });
  });

  test("W5: a delivery that a hook has read is an error with a code of its own", async () => {
    const { open, clock, events } = await serveBelow((app) =>
      app.addHook("preParsing", async (_request, _reply, payload) => {
        await payload.toArray();
        return payload;
      }),
    );
    const init = { method: "POST", headers: signed(delivery, clock.now()), body: delivery };
    const answer = await open().send("/webhooks", init);
    expect([answer.status, answer.json.code]).toEqual([500, "body_already_read"]);
    expect(events).toContainEqual({ type: "webhook.body_already_read" });
  });
});

describe("mounts in a Fastify app", () => {
  test("L26: cookies on the raw response and cookies of the kit arrive together", async () => {
    const { open } = await serveBelow((app) =>
      app.addHook("onRequest", async (_request, reply) => void reply.raw.appendHeader("set-cookie", "raw=1")),
    );
    const browser = open();
    await browser.post("/login/start", { phone });
    expect([...browser.cookies.keys()]).toHaveLength(2);
    expect(browser.cookies.get("raw")).toBe("1");
  });

  test("decorate the requests of the whole app with doorcode", async () => {
    const kit = await createKit();
    const app = fastify();
    await app.register(phoneLogin(kit.doorcode), { prefix: "/login" });
    await app.register(phoneLogin(kit.doorcode, { purpose: "login" }), { prefix: "/again" });
    expect(app.hasRequestDecorator("doorcode")).toBe(true);
    await app.close();
  });

  test("work below several prefixes", async () => {
    const kit = await createKit();
    const { app, serve } = createFastifyApp();
    await app.register(async (scope) => scope.register(phoneLogin(kit.doorcode), { prefix: "/login" }), {
      prefix: "/shop/:city",
    });
    const { open } = setUpOn(kit, await serve());
    const started = await open().post("/shop/bonn/login/start", { phone });
    expect(started.json.status).toBe("code_sent");
  });
});

describe("sessionOf", () => {
  async function serveMembers() {
    const kit = await createKit();
    const { app, serve } = createFastifyApp();
    await app.register(phoneLogin(kit.doorcode), { prefix: "/login" });
    await app.register(async (members) => {
      members.addHook("preHandler", requireLogin(kit.doorcode));
      members.get("/members/me", async (request) => ({ userId: sessionOf(request).userId }));
    });
    app.get("/open", async (request) => ({ userId: sessionOf(request).userId }));
    return setUpOn(kit, await serve());
  }

  test("returns the session behind a guard that a whole plugin shares", async () => {
    const { open, loggedIn } = await serveMembers();
    expect((await open().get("/members/me")).status).toBe(401);
    expect((await (await loggedIn()).get("/members/me")).json).toEqual({ userId: "user_1" });
  });

  test("asks for a guard on a route without one, even of a user who is logged in", async () => {
    const { loggedIn, faults } = await serveMembers();
    expect((await (await loggedIn()).get("/open")).status).toBe(500);
    expect(faults).toMatchObject([{ message: expect.stringMatching(/Put requireLogin\(doorcode\) in front/) }]);
  });
});

test("a request for the state that waits is answered when the app closes, so that it can", async () => {
  const kit = await createKit();
  const { app, serve } = createFastifyApp();
  await app.register(phoneLogin(kit.doorcode), { prefix: "/login" });
  const browser = setUpOn(kit, await serve()).open();
  const { json } = await browser.post("/login/start", { phone });
  const asked = browser.get(`/login/state?after=${json.version}&waitSeconds=20`);
  await expect.poll(() => kit.clock.pending).toBe(2);
  await app.close();
  expect((await asked).json.version).toBe(json.version);
});
