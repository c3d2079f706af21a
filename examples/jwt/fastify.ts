import type { Store } from "@doorcode/core/store";
import { type FastifySessions, phoneLogin, requireLogin } from "@doorcode/fastify";
import cors from "@fastify/cors";
import fastify, { type FastifyInstance } from "fastify";
import { corsOptions, createKit } from "./kit.ts";
import type { Tokens } from "./tokens.ts";

/** Creates the same API on Fastify. */
export function createFastifyApp(
  env: NodeJS.ProcessEnv,
  origin: string,
  tokens: Tokens,
  store?: Store,
): FastifyInstance {
  const doorcode = createKit(env, origin, store);
  const session: FastifySessions = {
    transport: "bearer",
    async start(login, { request }) {
      const pair = await tokens.start(login);
      await tokens.end(request.headers.authorization); // The login that the request came with.
      return pair; // `result` in the answer to /confirm
    },
    current: ({ request }) => tokens.read(request.headers.authorization),
    end: ({ request }) => tokens.end(request.headers.authorization),
  };

  const app = fastify();
  app.register(cors, corsOptions(origin));
  app.register(phoneLogin(doorcode, { session }), { prefix: "/login" });
  app.post<{ Body?: { refreshToken?: string } }>("/token", async (request, reply) => {
    const pair = await tokens.refresh(String(request.body?.refreshToken));
    return reply.code(pair ? 200 : 401).send(pair ?? { code: "login_required" });
  });
  app.get("/account", { preHandler: requireLogin(doorcode, { session }) }, async (request) => ({
    id: request.doorcode.userId,
  }));
  return app;
}
