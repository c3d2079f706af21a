import express, { type Request, type Response } from "express";
import Stripe from "stripe";
import { serveHttp } from "../measure/program.ts";
import { secret } from "../programs/deliveries.ts";

const stripe = new Stripe("sk_test_of_the_benchmarks");
const app = express();

/**
 * The example for Express in stripe's repository, `examples/webhook-signing/express`, without its lines of the console: the bytes from
 * `express.raw`, `constructEvent`, and a short JSON as the answer. It drops no duplicate and keeps no order.
 */
app.post("/webhooks", express.raw({ type: "application/json", limit: "1mb" }), (req: Request, res: Response): void => {
  const signature = req.headers["stripe-signature"] ?? "";
  let event: Stripe.Event;
  try {
    event = stripe.webhooks.constructEvent(req.body, signature, secret);
  } catch (error) {
    res.status(400).send(`Webhook Error: ${error instanceof Error ? error.message : ""}`);
    return;
  }
  if (event.type === "payment_intent.succeeded") throw new Error("No delivery is about a payment.");
  res.json({ received: true });
});

serveHttp(app);
