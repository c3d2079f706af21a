import type { FastifyInstance } from "fastify";
import { afterAll, vi } from "vitest";
import { serveFastify } from "../serve-fastify.ts";
import { describeOwnSessions } from "./scenario.ts";

vi.stubEnv("SESSION_PASSWORD", "a secret of the tests, 32 characters");
vi.stubEnv("SESSION_KEY", Buffer.alloc(32, "key").toString("base64"));
afterAll(() => void vi.unstubAllEnvs());

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
