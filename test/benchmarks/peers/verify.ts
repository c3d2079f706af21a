import { createHash, createHmac } from "node:crypto";
import { verify as verifyOctokit } from "@octokit/webhooks-methods";
import { Webhook as StandardWebhook } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as SvixWebhook } from "svix";
import twilio from "twilio";
import { serveOperations } from "../measure/program.ts";
import { createDelivery, type Delivery, secret, signatureOf } from "../programs/deliveries.ts";

/** Verifies one delivery over and over, or refuses it. A host has bytes, so what asks for a text gets it decoded. */
type Prepare = (delivery: Delivery) => () => boolean | Promise<boolean>;

const stripe = new Stripe("sk_test_of_the_benchmarks");
const standard = new StandardWebhook(secret);
const svix = new SvixWebhook(secret);
const url = "https://app.example.com/webhooks";

function symmetric({ body, timestamp }: Delivery, id: string): string {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}

/** For those that throw at a wrong signature and return nothing at a right one. */
function throwsNothing(verify: () => unknown): boolean {
  verify();
  return true;
}

const prepare: Readonly<Record<string, Prepare>> = {
  /** The package's README, "usage". It knows no timestamp. */
  octokit(delivery) {
    const signature = `sha256=${createHmac("sha256", secret).update(delivery.body).digest("hex")}`;
    return () => verifyOctokit(secret, delivery.body.toString(), signature);
  },
  /** https://docs.stripe.com/webhooks/signature, without the parsing of `constructEvent`. */
  stripe(delivery) {
    const header = `t=${delivery.timestamp},v1=${signatureOf(delivery)}`;
    return () => stripe.webhooks.signature?.verifyHeader(delivery.body, header, secret, 300) === true;
  },
  /** https://docs.stripe.com/webhooks/signature */
  "stripe constructEvent"(delivery) {
    const header = `t=${delivery.timestamp},v1=${signatureOf(delivery)}`;
    return () => "data" in stripe.webhooks.constructEvent(delivery.body, header, secret);
  },
  /** https://www.twilio.com/docs/usage/webhooks/webhooks-security, for JSON bodies. It knows no timestamp. */
  twilio({ body }) {
    const signed = `${url}?bodySHA256=${createHash("sha256").update(body).digest("hex")}`;
    const signature = createHmac("sha1", secret).update(signed).digest("base64");
    return () => twilio.validateRequestWithBody(secret, signature, signed, body.toString());
  },
  /** The package's README, without the parsing. */
  standardwebhooks(delivery) {
    const signature = symmetric(delivery, "msg_1");
    const headers = { "webhook-id": "msg_1", "webhook-timestamp": delivery.timestamp, "webhook-signature": signature };
    return () => throwsNothing(() => standard.verify(delivery.body, headers, { jsonParse: false }));
  },
  /** https://docs.svix.com/receiving/verifying-payloads/how */
  svix(delivery) {
    const signature = symmetric(delivery, "msg_1");
    const headers = { "svix-id": "msg_1", "svix-timestamp": delivery.timestamp, "svix-signature": signature };
    return () => throwsNothing(() => svix.verify(delivery.body, headers));
  },
};

const [name = "", bytes = ""] = process.argv.slice(2);
const deliveries = Array.from({ length: 64 }, () => prepare[name]?.(createDelivery(Number(bytes))));

serveOperations((index) => deliveries[index % deliveries.length]?.() ?? false);
