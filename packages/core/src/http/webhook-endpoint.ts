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
import { encodingFix, isEncoded } from "./content-encoding.ts";
import { createDeliveryWatch } from "./delivery-watch.ts";
import type { Body, HttpRequest, HttpResponse, Mount } from "./exchange.ts";
import { closeConnection, problem, refuse } from "./problem.ts";
import { readBodyInTime } from "./read-body.ts";

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

const wrongSecretFix =
  "A delivery has a signature that webhooks.secret did not make, and none has had one that it did. Compare the secret " +
  "(WEBHOOK_SECRET) with the signing secret of this application in the service's portal.";

const bodyAlreadyReadFix =
  "A body parser read this webhook before Doorcode, which needs the exact bytes to verify the signature. " +
  "Mount webhooks(doorcode) above express.json() and every other body parser. If the parser must stay above, let it keep the " +
  "bytes: express.json({ verify: (req, _res, bytes) => Object.assign(req, { rawBody: bytes }) }), or rawBody: true in NestJS.";

// Constant answers are built once, so that a forged delivery costs neither an error object nor JSON. The first one has no headers: a
// cache keeps an answer to a POST only if a header allows it.
const acknowledged: HttpResponse = { status: 204, headers: {}, cookies: [] };
const wrongMethod = refuse("method_not_allowed", {}, { allow: "POST", ...closeConnection });
const wrongEncoding = refuse("media_type_unsupported", { message: encodingFix }, closeConnection);
const badHeaders = refuse("signature_invalid", {}, closeConnection);
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
 * receiver. The headers of the signature are judged before any of the body is read, the body must arrive within five
 * seconds, and all such bodies are bounded together: strangers get no memory.
 *
 * It answers 2xx if the event was handled or needs no handling, as a test delivery of `checkEndpoint` does. It refuses with 401 `signature_invalid`, 405
 * `method_not_allowed`, 408 `body_too_slow`, 413 `body_too_large` or 415 `media_type_unsupported`. It fails with 500 `body_already_read` or
 * `handler_failed`, or with 503 `handler_unfinished`, `server_busy` or `store_unavailable`. The reason of a refusal is only in the
 * published events. The kit ignores the content type, because the signature proves the body's origin. A framework may
 * refuse one: Fastify does so if it is not a media type.
 *
 * @see "Receiver contract" and "Webhook authenticity" of the specification
 */
export function createWebhookMount(deps: WebhookMountDeps): Mount<unknown> {
  const { keys, toleranceSeconds, limitBytes, clock, publish } = deps;
  const warnOfSecret = createWarning("webhook_secret", wrongSecretFix);
  const warnOfBody = createWarning("body_already_read", bodyAlreadyReadFix);
  const watch = createDeliveryWatch(publish);
  let anyVerified = false;

  async function handle(request: HttpRequest): Promise<HttpResponse> {
    const receivedAtMilliseconds = clock.now();
    if (request.method !== "POST") return wrongMethod;
    const check = { toleranceSeconds, nowMilliseconds: receivedAtMilliseconds };
    const signature = readSignature(request.headers, check);
    if (signature === "timestamp_outside_tolerance") {
      watch.clockOff(Number(request.headers["x-webhook-timestamp"]) - Math.floor(receivedAtMilliseconds / 1000));
    }
    if (typeof signature === "string") return refuseDelivery(signature, badHeaders);
    // The signature covers the bytes as sent, not what they decompress to.
    if (isEncoded(request)) return wrongEncoding;
    let body: Body;
    try {
      body = await readBodyInTime(request, limitBytes, clock);
    } catch (error) {
      return refuseBody(error);
    }
    if ("parsed" in body) return refuseReadBody();
    const reason = verifyBody(signature, body.bytes, keys);
    if (reason) {
      if (!anyVerified) warnOfSecret();
      watch.wrongSignature();
      return refuseDelivery(reason, badSignature);
    }
    anyVerified = true;
    const outcome = await receiveVerified(deps, body.bytes, { receivedAtMilliseconds });
    watch.verified(outcome);
    return answers[outcome];
  }

  function refuseBody(error: unknown): HttpResponse {
    if (!isDoorcodeError(error)) throw error;
    return error.code === "body_already_read" ? refuseReadBody() : problem(error);
  }

  function refuseReadBody(): HttpResponse {
    publish({ type: "webhook.body_already_read" });
    // Only the service sees the answer, so a warning tells the developer.
    warnOfBody();
    return alreadyRead;
  }

  function refuseDelivery(reason: SignatureReason, answer: HttpResponse): HttpResponse {
    publish({ type: "webhook.refused", reason });
    return answer;
  }

  return {
    paths: ["/"],
    handle: (request) => (isOwnPath(request.path) ? handle(request) : Promise.resolve(undefined)),
    close() {},
  };
}

function isOwnPath(path: string): boolean {
  return path === "/" || path === "";
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
