import { preferredLanguage, renderPhoneLogin, stringsOf } from "@doorcode/browser/server";
import { phoneLogin, requireLogin, webhooks } from "@doorcode/fastify";
import fastify, { type FastifyInstance } from "fastify";
import { createKit, type KitOptions } from "../express-login/kit.ts";
import { accountPage, assets, loginPage, securityHeaders } from "../express-login/pages.ts";

/** Creates the Fastify app of the example. */
export function createApp(env: NodeJS.ProcessEnv = process.env, options: KitOptions = {}): FastifyInstance {
  const { doorcode, handled } = createKit(env, options);
  const app = fastify();

  app.register(webhooks(doorcode), { prefix: "/webhooks" });

  app.addHook("onRequest", async (_request, reply) => void reply.headers(securityHeaders()));
  for (const { path, type, text } of assets) app.get(path, (_request, reply) => reply.type(type).send(text));

  app.get("/", (_request, reply) => reply.redirect("/account"));
  const login = phoneLogin(doorcode, { forms: { page: "/login", done: "/account" } });
  app.get<{ Querystring: Record<string, unknown> }>("/login", async (request, reply) => {
    const state = await login.state(request);
    if (state.status === "logged_in") return reply.redirect("/account");
    const lang = preferredLanguage(request.headers["accept-language"]);
    const form = { state, offer: login.offer, basePath: "/login", query: request.query, lang, done: "/account" };
    return reply.type("text/html").send(loginPage(stringsOf(lang).confirm.login, renderPhoneLogin(form), lang));
  });
  app.register(login, { prefix: "/login" });

  app.get("/account", { preHandler: requireLogin(doorcode, { loginPage: "/login" }) }, async (request, reply) => {
    return reply.type("text/html").send(accountPage(request.doorcode.user, handled));
  });
  return app;
}
