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

/** The dependencies of the webhook endpoint. */
export interface WebhookMountDeps {
  /** Handles the events. */
  readonly receiver: Receiver;
  /** The signing secrets as keys. */
  readonly keys: readonly KeyObject[];
  /** The maximum difference between the timestamp of a delivery and now, in either direction. */
  readonly toleranceSeconds: number;
  /** The largest body that is read. */
  readonly limitBytes: number;
  /** The clock that timestamps are compared with. */
  readonly clock: Clock;
  /** Publishes refused and unreadable deliveries. */
  readonly publish: Publish<WebhookDeliveryEvent>;
}

const bodyAlreadyReadFix =
  "A body parser read this webhook before Doorcode, which needs the exact bytes to verify the signature. " +
  "Mount webhooks(doorcode) above express.json() and every other body parser.";

// Constant answers are built once, so that a forged delivery costs neither an error object nor JSON.
const acknowledged: HttpResponse = { status: 204, headers: noStore, cookies: [] };
const wrongMethod = refuse("method_not_allowed", {}, { allow: "POST" });
const wrongEncoding = refuse("media_type_unsupported", { message: "Send the body without a content encoding." });
const badSignature = refuse("signature_invalid");
const alreadyRead = refuse("body_already_read", { message: bodyAlreadyReadFix });
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
 * Creates the endpoint for the service's deliveries. It reads, verifies and parses a delivery, and passes it to the
 * receiver.
 *
 * It answers 2xx if the event was handled or needs no handling. It refuses with 401 `signature_invalid`, 405
 * `method_not_allowed`, 413 `body_too_large` or 415 `media_type_unsupported`. It fails with 500 `body_already_read` or
 * `handler_failed`, or with 503 `handler_unfinished` or `store_unavailable`. The reason of a refusal is only in the
 * published events. The kit ignores the content type, because the signature proves the body's origin. A framework may
 * refuse one: Fastify does so if it is not a media type.
 *
 * @see "Receiver contract" and "Webhook authenticity" of the specification
 */
export function createWebhookMount(deps: WebhookMountDeps): Mount<unknown> {
  const refuseAlreadyRead = createAlreadyReadRefusal(deps.publish);

  return {
    paths: ["/"],
    async handle(request) {
      if (request.path !== "/" && request.path !== "") return undefined;
      const receivedAtMilliseconds = deps.clock.now();
      if (request.method !== "POST") return wrongMethod;
      if (isEncoded(request)) return wrongEncoding;
      const body = await readBody(request, deps.limitBytes);
      if ("refusal" in body) return body.refusal;
      if ("parsed" in body) return refuseAlreadyRead();
      return receiveDelivery(deps, request, body.bytes, receivedAtMilliseconds);
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
    return badSignature;
  }
  const event = parseEvent(body);
  if ("unreadable" in event) {
    publish({ type: "webhook.unreadable", reason: event.unreadable });
    return answers[await receiver.receiveUnreadable(body, { receivedAtMilliseconds })];
  }
  return answers[await receiver.receive(event, { receivedAtMilliseconds })];
}

/** Detects a content encoding. The signature covers the bytes as sent, not what they decompress to. */
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

/** Creates the refusal of a body that a parser has read. Only the service sees it, so a warning tells the developer. */
function createAlreadyReadRefusal(publish: Publish<WebhookDeliveryEvent>): () => HttpResponse {
  let warned = false;
  return () => {
    publish({ type: "webhook.body_already_read" });
    if (!warned) process.emitWarning(bodyAlreadyReadFix, { type: "DoorcodeWarning", code: "body_already_read" });
    warned = true;
    return alreadyRead;
  };
}
