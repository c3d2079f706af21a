import type { KeyObject } from "node:crypto";
import type { Clock } from "../primitives/clock.ts";
import { isDoorcodeError } from "../primitives/errors.ts";
import type { Publish } from "../primitives/publish.ts";
import type { WebhookDeliveryEvent } from "../webhook/delivery-event.ts";
import { parseEvent } from "../webhook/parse-event.ts";
import type { EventOutcome } from "../webhook/process-event.ts";
import type { Receiver } from "../webhook/receiver.ts";
import { verifyDelivery } from "../webhook/signature.ts";
import type { Body, HttpRequest, HttpResponse, Mount } from "./exchange.ts";
import { noStore, problem, refuse } from "./problem.ts";

/** What the webhook endpoint is made of. */
export interface WebhookMountDeps {
  readonly receiver: Receiver;
  /** The signing secrets, imported once. */
  readonly keys: readonly KeyObject[];
  /** How far the timestamp of a delivery may be from now, in either direction. */
  readonly toleranceSeconds: number;
  readonly limitBytes: number;
  readonly clock: Clock;
  readonly publish: Publish<WebhookDeliveryEvent>;
}

const whatToMove =
  "A body parser read this webhook before Doorcode did, and its signature covers the exact bytes: " +
  "mount webhooks(doorcode) above express.json() and every other body parser.";

// Answers that never differ are built once: a stranger's refused delivery shall cost no error and no JSON.
const acknowledged: HttpResponse = { status: 204, headers: noStore, cookies: [] };
const wrongMethod = refuse("method_not_allowed", {}, { allow: "POST" });
const encoded = refuse("media_type_unsupported", { message: "Deliver the body without a content encoding." });
const unsigned = refuse("signature_invalid");
const alreadyRead = refuse("body_already_read", { message: whatToMove });
const unfinished = refuse("handler_unfinished");

const answers: Readonly<Record<EventOutcome, HttpResponse>> = {
  handled: acknowledged,
  duplicate: acknowledged,
  stale: acknowledged,
  failed: refuse("handler_failed"),
  unfinished,
  superseded: unfinished,
  store_unavailable: refuse("store_unavailable", { retryAfterSeconds: 5 }),
};

/**
 * Creates the endpoint for the service's deliveries: reads, verifies, parses and hands on.
 *
 * It answers 2xx to what was handled or needs no handling; 401 `signature_invalid`, 405 `method_not_allowed`, 413
 * `body_too_large` and 415 `media_type_unsupported` to what is refused; 500 `body_already_read` or `handler_failed`;
 * 503 `handler_unfinished` or `store_unavailable`. Why a delivery was refused stands in the published events only. The
 * kit does not look at the content type, since what the service signed is the service's; a framework may, as Fastify
 * does with one that is no media type.
 *
 * @see "Receiver contract" and "Webhook authenticity" of the specification
 */
export function createWebhookMount(parts: WebhookMountDeps): Mount<unknown> {
  const refuseAlreadyRead = createAlreadyReadRefusal(parts.publish);

  return {
    paths: ["/"],
    async handle(request) {
      if (request.path !== "/" && request.path !== "") return undefined;
      const receivedAtMilliseconds = parts.clock.now();
      if (request.method !== "POST") return wrongMethod;
      if (isEncoded(request)) return encoded;
      const body = await readBody(request, parts.limitBytes);
      if ("refusal" in body) return body.refusal;
      if ("parsed" in body) return refuseAlreadyRead();
      return receiveDelivery(parts, request, body.bytes, receivedAtMilliseconds);
    },
    close() {},
  };
}

async function receiveDelivery(
  { receiver, keys, toleranceSeconds, clock, publish }: WebhookMountDeps,
  { headers }: HttpRequest,
  body: Uint8Array,
  receivedAtMilliseconds: number,
): Promise<HttpResponse> {
  const reason = verifyDelivery({ headers, body }, { keys, toleranceSeconds, nowMilliseconds: clock.now() });
  if (reason) {
    publish({ type: "webhook.refused", reason });
    return unsigned;
  }
  const event = parseEvent(body);
  if ("unreadable" in event) {
    publish({ type: "webhook.unreadable", reason: event.unreadable });
    return answers[await receiver.receiveUnreadable(body, { receivedAtMilliseconds })];
  }
  return answers[await receiver.receive(event, { receivedAtMilliseconds })];
}

/** The signature is over what was sent, and says nothing about what it unpacks to. */
function isEncoded({ headers }: HttpRequest): boolean {
  const encoding = headers["content-encoding"] || "identity";
  return typeof encoding !== "string" || encoding.toLowerCase() !== "identity";
}

async function readBody(request: HttpRequest, limitBytes: number): Promise<Body | { readonly refusal: HttpResponse }> {
  try {
    return await request.readBody(limitBytes);
  } catch (error) {
    if (!isDoorcodeError(error)) throw error;
    return error.code === "body_already_read" ? { parsed: undefined } : { refusal: problem(error) };
  }
}

/** A mistake in the app's wiring: the answer reaches the service only, so the developer is told too, once. */
function createAlreadyReadRefusal(publish: Publish<WebhookDeliveryEvent>): () => HttpResponse {
  let warned = false;
  return () => {
    publish({ type: "webhook.body_already_read" });
    if (!warned) process.emitWarning(whatToMove, { type: "DoorcodeWarning", code: "body_already_read" });
    warned = true;
    return alreadyRead;
  };
}
