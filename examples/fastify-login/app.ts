import type { LoginOptions } from "@doorcode/core";
import { phoneLogin, requireLogin, webhooks } from "@doorcode/fastify";
import fastify, { type FastifyInstance } from "fastify";
import { createKit } from "../express-login/kit.ts";
import { accountPage, loginPage } from "../express-login/pages.ts";

/** Creates the Fastify app of the example. */
export function createApp(env: NodeJS.ProcessEnv = process.env, options: Partial<LoginOptions> = {}): FastifyInstance {
  const { doorcode, handled } = createKit(env, options);
  const app = fastify();

  app.register(webhooks(doorcode), { prefix: "/webhooks" });

  app.get("/", (_request, reply) => reply.redirect("/account"));
  const login = phoneLogin(doorcode, { forms: { page: "/login", done: "/account" } });
  app.get<{ Querystring: Record<string, unknown> }>("/login", async (request, reply) => {
    const state = await login.state(request);
    if (state.status === "logged_in") return reply.redirect("/account");
    return reply.type("text/html").header("cache-control", "no-store").send(loginPage(state, request.query));
  });
  app.register(login, { prefix: "/login" });

  app.get("/account", { preHandler: requireLogin(doorcode, { loginPage: "/login" }) }, async (request, reply) => {
    return reply
      .type("text/html")
      .header("cache-control", "no-store")
      .send(accountPage(request.doorcode.user, handled));
  });
  return app;
}
