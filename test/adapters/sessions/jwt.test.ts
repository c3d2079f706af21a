import type { Hono } from "hono";
import { afterAll, vi } from "vitest";
import { serveHono } from "../serve-hono.ts";
import { describeOwnSessions } from "./scenario.ts";

vi.stubEnv("JWT_KEY", "a key of the tests, 32 characters");
afterAll(() => void vi.unstubAllEnvs());

describeOwnSessions<Hono>({
  heading: "A JWT",
  cookie: "token",
  serve(app) {
    app.get("/visit", (c) => c.json({}, 200, { "set-cookie": "token=anonymous; Path=/" }));
    return serveHono(app);
  },
});
