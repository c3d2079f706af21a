import { createWebhookVerifier } from "@doorcode/core";
import Stripe from "stripe";
import { createDelivery, isAuthentic, secret } from "./deliveries.ts";
import { serve } from "./measure.ts";

const [name = "", bytes = ""] = process.argv.slice(2);
const deliveries = Array.from({ length: 64 }, () => createDelivery(Number(bytes)));
type Delivery = (typeof deliveries)[number];

const verify = createWebhookVerifier({ secret });
const stripe = new Stripe("sk_test_of_the_benchmark");

const verifiers: Readonly<Record<string, (delivery: Delivery) => unknown>> = {
  bare: ({ headers, body }) => isAuthentic(headers, body),
  kit: (delivery) => verify(delivery).authentic,
  stripe: ({ headers, body }) =>
    stripe.webhooks.signature?.verifyHeader(body, headers["stripe-signature"] ?? "", secret),
};

serve("ready", (index) => {
  const delivery = deliveries[index % deliveries.length];
  if (!delivery || verifiers[name]?.(delivery) !== true) throw new Error("A delivery was refused.");
});
