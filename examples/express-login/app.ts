import type { LoginOptions } from "@doorcode/core";
import { phoneLogin, requireLogin, webhooks } from "@doorcode/express";
import express, { type Express } from "express";
import { createKit } from "./kit.ts";
import { accountPage, loginPage } from "./pages.ts";

/** Creates the Express app of the example. `options` and `challenge` are what another example changes. */
export function createApp(
  env: NodeJS.ProcessEnv = process.env,
  options: Partial<LoginOptions> = {},
  challenge = "",
): Express {
  const { doorcode, handled } = createKit(env, options);
  const app = express();
  app.disable("x-powered-by");

  // Webhooks come before every body parser, because signatures cover the exact bytes.
  app.use("/webhooks", webhooks(doorcode));

  app.get("/", (_req, res) => res.redirect("/account"));
  const login = phoneLogin(doorcode, { forms: { page: "/login", done: "/account" } });
  app.get("/login", async (req, res) => {
    const state = await login.state(req);
    if (state.status === "logged_in") return res.redirect("/account");
    return res.set("cache-control", "no-store").send(loginPage(state, req.query, challenge));
  });
  app.use("/login", login);

  app.get("/account", requireLogin(doorcode, { loginPage: "/login" }), (req, res) => {
    res.set("cache-control", "no-store").send(accountPage(req.doorcode.user, handled));
  });
  return app;
}
