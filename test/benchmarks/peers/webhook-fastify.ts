import fastify from "fastify";
import Stripe from "stripe";
import { serveHttp } from "../measure/program.ts";
import { secret } from "../programs/deliveries.ts";

const stripe = new Stripe("sk_test_of_the_benchmarks");
const app = fastify({ bodyLimit: 1_048_576 });

/**
 * As `webhook-express.ts`. Stripe's repository has no example for Fastify, so the bytes come from Fastify's own parser, as its documentation
 * of `addContentTypeParser` says. It drops no duplicate and keeps no order.
 */
app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
app.post<{ readonly Body: Buffer }>("/webhooks", async (request, reply) => {
  const signature = request.headers["stripe-signature"] ?? "";
  let event: Stripe.Event;
  try {
    event = stripe.webhooks.constructEvent(request.body, signature, secret);
  } catch (error) {
    return reply.code(400).send(`Webhook Error: ${error instanceof Error ? error.message : ""}`);
  }
  if (event.type === "payment_intent.succeeded") throw new Error("No delivery is about a payment.");
  return { received: true };
});

await app.ready();
serveHttp(app.server);
