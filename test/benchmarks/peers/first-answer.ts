import type { RequestListener } from "node:http";
import { answerFirst } from "../install/answer-first.ts";

/** A library as its documentation sets it up, beside the same app of Express. */
const setUps: Readonly<Record<string, () => Promise<RequestListener>>> = {
  async stripe() {
    const { default: express } = await import("express");
    const { default: Stripe } = await import("stripe");
    const stripe = new Stripe("sk_test_of_the_benchmarks");
    return express().get("/account", (_req, res) => void res.status(stripe.webhooks ? 401 : 500).end());
  },
  async twilio() {
    const { default: express } = await import("express");
    const { default: twilio } = await import("twilio");
    const client = twilio("AC00000000000000000000000000000000", "token_of_the_benchmark");
    return express().get("/account", (_req, res) => void res.status(client.accountSid ? 401 : 500).end());
  },
  async "better-auth"() {
    const { default: express } = await import("express");
    const { fromNodeHeaders, toNodeHandler } = await import("better-auth/node");
    const { createAuth } = await import("./better-auth.ts");
    const auth = createAuth(new Map(), { sendOTP: () => undefined });
    const app = express().all("/api/auth/*splat", toNodeHandler(auth));
    return app.get("/account", async (req, res) => {
      const session = await auth.api.getSession({ headers: fromNodeHeaders(req.headers) });
      res.status(session ? 200 : 401).end();
    });
  },
};

const setUp = setUps[process.argv[2] ?? ""];
if (!setUp) throw new Error("There is no such library.");
await answerFirst(setUp);
