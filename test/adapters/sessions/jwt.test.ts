import type { Hono } from "hono";
import { jwtVerify } from "jose";
import { expect, test, vi } from "vitest";
import { phone } from "../adapter-setup.ts";
import { serveHono } from "../serve-hono.ts";
import { describeOwnSessions, type OwnSessionsApp, serveProgram } from "./scenario.ts";

const key = "a key of the tests, 32 characters";
vi.stubEnv("JWT_KEY", key);

const program: OwnSessionsApp<Hono> = {
  heading: "A JWT",
  cookie: "token",
  serve(app) {
    app.get("/visit", (c) => c.json({}, 200, { "set-cookie": "token=anonymous; Path=/" }));
    return serveHono(app);
  },
};

describeOwnSessions(program);

test("a JWT for a client without cookies is in the answer", async () => {
  const { open, service } = await serveProgram(program);
  const app = open();
  await app.post("/login/start", { phone });
  const { json } = await app.post("/login/confirm", { code: service.code });
  const { token } = json.result as { token: string };
  expect((await jwtVerify(token, new TextEncoder().encode(key))).payload.sub).toBe("user_1");
});
