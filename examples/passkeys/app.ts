import { renderPhoneLogin } from "@doorcode/browser/server";
import { phoneLogin, requireLogin } from "@doorcode/express";
import express, { type Express } from "express";
import { assets, backToAccount, loginPage, securityHeaders } from "../express-login/pages.ts";
import type { Kit } from "./kit.ts";
import { mountNumber } from "./number.ts";
import { accountPage, passkeyButton } from "./pages.ts";
import { mountPasskeys } from "./passkeys.ts";

/**
 * Creates an app whose users log in by phone once, and by a passkey from then on: `passkeys.ts` has its endpoints, `number.ts` the page
 * of the number, and `browser.js` the script of the pages.
 */
export function createApp(kit: Kit): Express {
  const { doorcode, accounts } = kit;
  const app = express();
  app.disable("x-powered-by");
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
    return res.send(loginPage("Log in", renderPhoneLogin(form) + passkeyButton("sign-in")));
  });
  app.use("/login", login);

  const needsLogin = requireLogin(doorcode, { loginPage: "/login" });
  const stepUp = phoneLogin(doorcode, { purpose: "step_up", forms: { page: "/step-up", done: "/account" } });
  app.get("/step-up", needsLogin, async (req, res) => {
    const { userId } = req.doorcode;
    const state = await stepUp.state(req);
    const form = { state, offer: stepUp.offer, basePath: "/step-up", purpose: "step_up", query: req.query } as const;
    // Each proof for whoever has it: a user without a number has a passkey.
    const byPhone = accounts.get(userId)?.phone
      ? renderPhoneLogin(form)
      : "<p>To continue, confirm that it is you.</p>";
    const byPasskey = accounts.passkeysOf(userId).length > 0 ? passkeyButton("step-up") : "";
    res.send(loginPage("Is it you?", byPhone + byPasskey + backToAccount));
  });
  app.use("/step-up", stepUp);

  app.get("/account", needsLogin, (req, res) => {
    const { userId } = req.doorcode;
    res.send(accountPage(accounts.get(userId)?.phone, accounts.passkeysOf(userId)));
  });
  mountNumber(app, kit);
  mountPasskeys(app, kit);
  return app;
}
