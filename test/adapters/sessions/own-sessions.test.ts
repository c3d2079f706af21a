import type { Express } from "express";
import type { FastifyInstance } from "fastify";
import type { Hono } from "hono";
import { afterAll, vi } from "vitest";
import { serveExpress } from "../serve-express.ts";
import { serveFastify } from "../serve-fastify.ts";
import { serveHono } from "../serve-hono.ts";
import { describeOwnSessions } from "./scenario.ts";

vi.stubEnv("JWT_KEY", "a key of the tests, 32 characters");
vi.stubEnv("SESSION_PASSWORD", "a secret of the tests, 32 characters");
vi.stubEnv("SESSION_KEY", Buffer.alloc(32, "key").toString("base64"));
afterAll(() => void vi.unstubAllEnvs());

// chain.test.ts has both packages on both versions of Express.
const onExpress = { "express-session": {}, Passport: { express: "express4" } };

for (const [heading, packages] of Object.entries(onExpress)) {
  describeOwnSessions<Express>({
    heading,
    packages,
    cookie: "connect.sid",
    serve(app) {
      app.get("/visit", (req, res) => {
        Object.assign((req as unknown as { session: object }).session, { visits: 1 });
        res.json({});
      });
      return serveExpress(app);
    },
  });
}

/** What both plugins add to a request. Their declarations of it cannot be imported together. */
interface WithSession {
  readonly session: { set(name: string, value: unknown): void };
}

const plugins = { "@fastify/session": "sessionId", "@fastify/secure-session": "session" };

for (const [heading, cookie] of Object.entries(plugins)) {
  describeOwnSessions<FastifyInstance>({
    heading,
    cookie,
    serve(app) {
      app.get("/visit", async (request) => {
        (request as unknown as WithSession).session.set("visits", 1);
        return {};
      });
      return serveFastify(app);
    },
  });
}

describeOwnSessions<Hono>({
  heading: "A JWT",
  cookie: "token",
  serve(app) {
    app.get("/visit", (c) => c.json({}, 200, { "set-cookie": "token=anonymous; Path=/" }));
    return serveHono(app);
  },
});
