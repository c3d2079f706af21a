import { createSecretKey } from "node:crypto";
import { createWebhookVerifier, parseEvent } from "@doorcode/core";
// The functions that the mount calls are no entry of the package. Without its types the source is what the build contains.
import { readSignature, verifyBody } from "../../../packages/core/src/webhooks/signature.ts";
import { serveOperations } from "../measure/program.ts";
import { isAuthentic } from "./bare-signature.ts";
import { createDelivery, headersOf, secret } from "./deliveries.ts";

const [name = "", bytes = ""] = process.argv.slice(2);
const deliveries = Array.from({ length: 64 }, () => {
  const delivery = createDelivery(Number(bytes));
  return { headers: { host: "localhost", "user-agent": "the service", ...headersOf(delivery) }, body: delivery.body };
});
type Received = (typeof deliveries)[number];

const verify = createWebhookVerifier({ secret });
const keys = [createSecretKey(Buffer.from(secret))];

function verifyAsMount({ headers, body }: Received): boolean {
  const signature = readSignature(headers, { toleranceSeconds: 300, nowMilliseconds: Date.now() });
  return typeof signature !== "string" && verifyBody(signature, body, keys) === undefined;
}

const isEvent = (body: Uint8Array) => !("unreadable" in parseEvent(body));

const operations: Readonly<Record<string, (received: Received) => boolean>> = {
  bare: ({ headers, body }) => isAuthentic(headers, body),
  "bare and parsed": ({ headers, body }) => isAuthentic(headers, body) && "event" in JSON.parse(body.toString()),
  mount: verifyAsMount,
  "mount and parsed": (received) => verifyAsMount(received) && isEvent(received.body),
  verifier: (received) => verify(received).authentic,
  "verifier and parsed": (received) => verify(received).authentic && isEvent(received.body),
};
const operation = operations[name];

serveOperations((index) => {
  const received = deliveries[index % deliveries.length];
  return received !== undefined && operation?.(received) === true;
});
