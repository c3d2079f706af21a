import { preferredLanguage, renderPhoneLogin, stringsOf } from "@doorcode/browser/server";
import { phoneLogin, requireLogin, webhooks } from "@doorcode/express";
import { operations } from "@doorcode/operations/express";
import express, { type Express } from "express";
import { createKit, type Kit, type KitOptions } from "./kit.ts";
import { accountPage, assets, loginPage, securityHeaders } from "./pages.ts";

/** What another example changes. */
export interface ExampleOptions extends KitOptions {
  /** The HTML of a challenge, and the origin that its script comes from. */
  readonly challenge?: { readonly html: string; readonly origin: string };
  /** Adds the pages of the account. */
  readonly account?: (app: Express, kit: Kit) => void;
}

/** Creates the Express app of the example. */
export function createApp(
  env: NodeJS.ProcessEnv = process.env,
  { challenge, account = mountAccount, ...options }: ExampleOptions = {},
): Express {
  const kit = createKit(env, options);
  const { doorcode } = kit;
  const app = express();
  app.disable("x-powered-by");

  // Webhooks come before every body parser, because signatures cover the exact bytes.
  app.use("/webhooks", webhooks(doorcode));

  app.use((_req, res, next) => {
    res.set(securityHeaders(challenge?.origin));
    next();
  });
  for (const { path, type, text } of assets) app.get(path, (_req, res) => void res.type(type).send(text));

  app.get("/", (_req, res) => res.redirect("/account"));
  const login = phoneLogin(doorcode, { forms: { page: "/login", done: "/account" } });
  app.get("/login", async (req, res) => {
    const state = await login.state(req);
    if (state.status === "logged_in") return res.redirect("/account");
    const lang = preferredLanguage(req.headers["accept-language"]);
    const form = { state, offer: login.offer, basePath: "/login", query: req.query, lang, done: "/account" };
    const element = renderPhoneLogin({ ...form, challenge: challenge?.html ?? "" });
    return res.send(loginPage(stringsOf(lang).confirm.login, element, lang));
  });
  app.use("/login", login);
  // Without `operator` it is served to this machine only.
  app.use("/operations", operations(doorcode));

  account(app, kit);
  return app;
}

function mountAccount(app: Express, { doorcode, handled }: Kit): void {
  app.get("/account", requireLogin(doorcode, { loginPage: "/login" }), (req, res) => {
    res.send(accountPage(req.doorcode.user, handled));
  });
}
