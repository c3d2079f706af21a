import * as onExpress from "@doorcode/express";
import * as onFastify from "@doorcode/fastify";
import * as onFetch from "@doorcode/fetch";
import fastifyCors from "@fastify/cors";
import expressCors from "cors";
import express from "express";
import { Hono } from "hono";
import { cors as honoCors } from "hono/cors";
import { describe, expect, test } from "vitest";
import { createKit, type Kit, phone, setUpOn } from "./adapter-setup.ts";
import type { ServedApp } from "./host.ts";
import { serveExpress } from "./serve-express.ts";
import { createFastifyApp } from "./serve-fastify.ts";
import { relay, serveHono } from "./serve-hono.ts";

const origin = "capacitor://localhost";
/** What core's document on native apps tells an app to allow. */
const allowedHeaders = [
  "authorization",
  "content-type",
  "doorcode-transport",
  "doorcode-transaction",
  "doorcode-device",
];
const exposedHeaders = ["retry-after", "www-authenticate"];
const cors = { origin, allowedHeaders, exposedHeaders };

const frameworks: readonly [name: string, serve: (kit: Kit, withCors: boolean) => Promise<ServedApp>][] = [
  [
    "Express",
    async ({ doorcode }, withCors) => {
      const app = express();
      if (withCors) app.use(expressCors(cors));
      app.use("/login", onExpress.phoneLogin(doorcode));
      return serveExpress(app);
    },
  ],
  [
    "Fastify",
    async ({ doorcode }, withCors) => {
      const { app, serve } = createFastifyApp();
      if (withCors) await app.register(fastifyCors, cors);
      await app.register(onFastify.phoneLogin(doorcode), { prefix: "/login" });
      return serve();
    },
  ],
  [
    "Hono",
    async ({ doorcode }, withCors) => {
      const login = onFetch.phoneLogin(doorcode, { basePath: "/login" });
      const app = new Hono();
      if (withCors) app.use(honoCors({ origin, allowHeaders: allowedHeaders, exposeHeaders: exposedHeaders }));
      app.use("/login/*", async (c, next) => relay(c, next, await login(c.req.raw, { remoteAddress: undefined })));
      return serveHono(app);
    },
  ],
];

describe.each(frameworks)("the page inside an app, which is another origin than the server, on %s", (_name, serve) => {
  async function setUpHere(withCors: boolean) {
    const kit = await createKit({
      session: { transport: "both" },
      options: { origins: ["https://app.example.com", origin] },
    });
    return setUpOn(kit, await serve(kit, withCors));
  }

  /** Asks as a web view does before it sends JSON with headers of its own. */
  const preflight = {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": allowedHeaders.join(","),
    },
  };

  test("logs in below the CORS middleware of the app", async () => {
    const { open } = await setUpHere(true);
    const allowed = await open().send("/login/start", preflight);
    const headers = { "content-type": "application/json", "doorcode-transport": "bearer", origin };
    const started = await open().post("/login/start", { phone }, headers);

    expect(allowed.status).toBe(204);
    expect(allowed.headers.get("access-control-allow-origin")).toBe(origin);
    const names = allowed.headers.get("access-control-allow-headers")?.toLowerCase().split(/, ?/);
    expect(names).toEqual(expect.arrayContaining(allowedHeaders));
    expect(started.headers.get("access-control-allow-origin")).toBe(origin);
    expect(started.json).toMatchObject({ status: "code_sent", transactionToken: expect.any(String) });
  });

  test("is not let in by the kit, which answers no preflight", async () => {
    const { open } = await setUpHere(false);
    const { status, headers } = await open().send("/login/start", preflight);
    expect([status, headers.get("allow"), headers.get("access-control-allow-origin")]).toEqual([405, "POST", null]);
  });
});
