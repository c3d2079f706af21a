import { randomUUID } from "node:crypto";
import { renderPhoneLogin } from "@doorcode/browser/server";
import { createDoorcode, createProofVerifier, isDoorcodeError, serviceCodes } from "@doorcode/core";
import type { Clock } from "@doorcode/core/store";
import { phoneLogin } from "@doorcode/express";
import express, { type Express, type Request } from "express";
import { assets, escapeHtml, loginPage, securityHeaders } from "../express-login/pages.ts";
import { createOrders } from "./orders.ts";

/** Creates a checkout without accounts: a guest confirms a phone number, and the order has it. */
export function createApp(env: NodeJS.ProcessEnv = process.env, options: { readonly clock?: Clock } = {}): Express {
  const service = { baseUrl: env.SERVICE_URL, apiKey: env.SERVICE_API_KEY };
  const doorcode = createDoorcode({
    ...options,
    service,
    login: { countries: ["DE"], codes: serviceCodes({ template: "login" }), password: env.SESSION_PASSWORD },
  });
  const verifyProof = createProofVerifier({
    ...options,
    password: env.SESSION_PASSWORD,
    audience: "checkout",
    service,
  });
  const verify = phoneLogin(doorcode, {
    purpose: "verify",
    forms: { page: "/", done: "/" },
    // A proof that somebody else gets hold of is of no use in their own cart.
    proof: { audience: "checkout", boundTo: ({ req }) => cartOf(req) },
  });
  const orders = createOrders();

  const app = express();
  app.use((_req, res, next) => {
    res.set(securityHeaders());
    next();
  });
  for (const { path, type, text } of assets) app.get(path, (_req, res) => void res.type(type).send(text));

  app.get("/", async (req, res) => {
    if (cartOf(req) === undefined) res.cookie("cart", randomUUID(), { httpOnly: true, sameSite: "lax" });
    const state = await verify.state(req);
    const form = { state, offer: verify.offer, basePath: "/verify", purpose: "verify", query: req.query } as const;
    const order = `<form id="order" method="post" action="/order"><button>Order</button></form>`;
    res.send(loginPage("Checkout", renderPhoneLogin({ ...form, form: "order" }) + order));
  });
  app.use("/verify", verify);

  app.post("/order", express.urlencoded(), async (req, res) => {
    try {
      const { phone, loginId } = await verifyProof(req.body.proof, { boundTo: cartOf(req) });
      // A proof can be shown again until it expires: the login's id lets it count once.
      const isNew = orders.add({ phone, loginId });
      res
        .status(isNew ? 201 : 409)
        .send(loginPage(isNew ? "Thank you" : "Ordered already", `<p>${escapeHtml(phone)}</p>`));
    } catch (error) {
      if (!isDoorcodeError(error)) throw error;
      res.status(error.status).send(loginPage("Not ordered", `<p>${error.title}</p><p><a href="/">Back</a></p>`));
    }
  });
  return app;
}

function cartOf({ headers }: Request): string | undefined {
  return /(?:^|; )cart=([\w-]+)/.exec(headers.cookie ?? "")?.[1];
}
