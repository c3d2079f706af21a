import type { KeyObject } from "node:crypto";
import type { Clock } from "../util/clock.ts";
import { isDoorcodeError } from "../util/errors.ts";
import type { Publish } from "../util/publish.ts";
import { createWarning } from "../util/warn.ts";
import type { WebhookDeliveryEvent } from "../webhooks/delivery-event.ts";
import type { EventOutcome } from "../webhooks/handlers.ts";
import { isCheckEvent, parseEvent } from "../webhooks/parse-event.ts";
import type { ReceiveOptions, Receiver } from "../webhooks/receiver.ts";
import { readSignature, type SignatureReason, verifyBody } from "../webhooks/signature.ts";
import { closeConnection, problem, refuse } from "./answers.ts";
import { encodingFix, isEncoded, readBodyInTime } from "./body.ts";
import { createDeliveryWatch } from "./delivery-watch.ts";
import type { Body, HttpRequest, HttpResponse, Mount } from "./exchange.ts";

/** The dependencies of the webhook endpoint. */
export interface WebhookMountDeps {
  readonly receiver: Receiver;
  /** The signing secrets as keys. */
  readonly keys: readonly KeyObject[];
  /** The maximum difference between the timestamp of a delivery and now, in either direction. */
  readonly toleranceSeconds: number;
  readonly limitBytes: number;
  readonly clock: Clock;
  readonly publish: Publish<WebhookDeliveryEvent>;
}

const bodyAlreadyReadFix =
  "A body parser read this webhook before Doorcode, which needs the exact bytes to verify the signature. " +
  "Mount webhooks(doorcode) above express.json() and every other body parser. If the parser must stay above, let it keep the " +
  "bytes: express.json({ verify: (req, _res, bytes) => Object.assign(req, { rawBody: bytes }) }), or rawBody: true in NestJS.";

/**
 * Creates the endpoint for the service's deliveries. It reads, verifies and parses a delivery, and passes it to the
 * receiver. The headers of the signature are judged before any of the body is read, the body must arrive within five
 * seconds, and all such bodies are bounded together: strangers get no memory.
 *
 * It answers 2xx if the event was handled or needs no handling, as a test delivery of `checkEndpoint` does. It refuses with 401
 * `signature_invalid`, 405 `method_not_allowed`, 408 `body_too_slow`, 413 `body_too_large` or 415 `media_type_unsupported`. It fails with
 * 500 `body_already_read` or `handler_failed`, or with 503 `handler_unfinished`, `server_busy` or `store_unavailable`. The reason of a
 * refusal is only in the published events. The kit ignores the content type, because the signature proves the body's origin. A framework
 * may refuse one: Fastify does so if it is not a media type.
 *
 * @see "Receiver contract" and "Webhook authenticity" of the specification
 */
export function createWebhookMount(deps: WebhookMountDeps): Mount<unknown> {
  const { keys, toleranceSeconds, limitBytes, clock, publish } = deps;
  const warnOfBody = createWarning("body_already_read", bodyAlreadyReadFix);
  const watch = createDeliveryWatch(publish);

  async function handle(request: HttpRequest): Promise<HttpResponse> {
    const receivedAtMilliseconds = clock.now();
    if (request.method !== "POST") return refuse("method_not_allowed", {}, { allow: "POST", ...closeConnection });
    const signature = readSignature(request.headers, { toleranceSeconds, nowMilliseconds: receivedAtMilliseconds });
    if (signature === "timestamp_outside_tolerance") {
      watch.clockOff(Number(request.headers["x-webhook-timestamp"]) - Math.floor(receivedAtMilliseconds / 1000));
    }
    if (typeof signature === "string") return refuseDelivery(signature, closeConnection);
    // The signature covers the bytes as sent, not what they decompress to.
    if (isEncoded(request)) return refuse("media_type_unsupported", { message: encodingFix }, closeConnection);
    let body: Body;
    try {
      body = await readBodyInTime(request, limitBytes, clock);
    } catch (error) {
      if (!isDoorcodeError(error)) throw error;
      return error.code === "body_already_read" ? refuseReadBody() : problem(error);
    }
    if ("parsed" in body) return refuseReadBody();
    const reason = verifyBody(signature, body.bytes, keys);
    if (reason) {
      watch.wrongSignature();
      return refuseDelivery(reason);
    }
    const outcome = await receiveVerified(deps, body.bytes, { receivedAtMilliseconds });
    watch.verified(outcome);
    return answerTo(outcome);
  }

  function refuseReadBody(): HttpResponse {
    publish({ type: "webhook.body_already_read" });
    // Only the service sees the answer, so a warning tells the developer.
    warnOfBody();
    return refuse("body_already_read", { message: bodyAlreadyReadFix });
  }

  function refuseDelivery(reason: SignatureReason, headers: Readonly<Record<string, string>> = {}): HttpResponse {
    publish({ type: "webhook.refused", reason });
    return refuse("signature_invalid", {}, headers);
  }

  return {
    paths: ["/"],
    async handle(request) {
      return request.path === "/" || request.path === "" ? handle(request) : undefined;
    },
    close() {},
  };
}

function receiveVerified(
  { receiver, publish }: WebhookMountDeps,
  body: Uint8Array,
  options: ReceiveOptions,
): Promise<EventOutcome> {
  const event = parseEvent(body);
  if ("unreadable" in event) {
    publish({ type: "webhook.unreadable", reason: event.unreadable });
    return receiver.receiveUnreadable(body, options);
  }
  // A test delivery must leave no trace: no handler, no mark in the store, no entry of the inbox.
  return isCheckEvent(event) ? Promise.resolve("handled") : receiver.receive(event, options);
}

/** A stale and a duplicate event are acknowledged: the service disables an endpoint that fails for 24 hours. */
function answerTo(outcome: EventOutcome): HttpResponse {
  switch (outcome) {
    case "failed":
      return refuse("handler_failed");
    case "unfinished":
    case "superseded":
      return refuse("handler_unfinished");
    case "store_unavailable":
      return refuse("store_unavailable", { retryAfterSeconds: 5 });
    default:
      // Without headers: a cache keeps an answer to a POST only if a header allows it.
      return { status: 204, headers: {}, cookies: [] };
  }
}
