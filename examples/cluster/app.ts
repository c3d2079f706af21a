import { renderPhoneLogin } from "@doorcode/browser/server";
import { phoneLogin, requireLogin, webhooks } from "@doorcode/express";
import express, { type Express } from "express";
import { accountPage, assets, loginPage, securityHeaders } from "../express-login/pages.ts";
import { createKit } from "./kit.ts";

/** Creates the Express example as one of several processes. It differs only in `kit.ts` and in the proxy settings. */
export function createApp(env: NodeJS.ProcessEnv = process.env, { doorcode, handled } = createKit(env)): Express {
  const app = express();
  app.disable("x-powered-by");
  // The proxy is on this machine. With `true` a client could claim any address.
  app.set("trust proxy", "loopback");
  app.use((_req, res, next) => {
    res.set("x-served-by", env.NAME ?? String(process.pid));
    next();
  });

  app.use("/webhooks", webhooks(doorcode));

  app.use((_req, res, next) => {
    res.set(securityHeaders());
    next();
  });
  for (const { path, type, text } of assets) app.get(path, (_req, res) => void res.type(type).send(text));

  app.get("/", (_req, res) => res.redirect("/account"));
  const login = phoneLogin(doorcode, { forms: { page: "/login", done: "/account" } });
  app.get("/login", async (req, res) => {
    const state = await login.state(req);
    if (state.status === "logged_in") return res.redirect("/account");
    const form = { state, offer: login.offer, basePath: "/login", query: req.query, done: "/account" };
    return res.send(loginPage("Log in", renderPhoneLogin(form)));
  });
  app.use("/login", login);

  app.get("/account", requireLogin(doorcode, { loginPage: "/login" }), async (req, res) => {
    const lines = (await handled())
      .slice(0, 10)
      .map(({ kind, status, by }) => ({ kind, status: `${status}, by ${by}` }));
    res.send(accountPage(req.doorcode.user, lines));
  });
  app.get("/handled", requireLogin(doorcode), async (_req, res) => {
    res.json(await handled());
  });
  return app;
}
