import type { KeyObject } from "node:crypto";
import type { Clock } from "../util/clock.ts";
import { createWarning, isDoorcodeError, warn } from "../util/errors.ts";
import type { Publish } from "../util/publish.ts";
import type { FailingReason, WebhookDeliveryEvent } from "../webhooks/delivery-event.ts";
import { isCheckEvent, parseEvent } from "../webhooks/event.ts";
import type { EventOutcome } from "../webhooks/handlers.ts";
import type { Receiver } from "../webhooks/receiver.ts";
import { readSignature, type SignatureReason, verifyBody } from "../webhooks/signature.ts";
import { closeConnection, problem, refuse } from "./answers.ts";
import { encodingFix, isEncoded, readBodyInTime } from "./body.ts";
import type { Body, HttpRequest, HttpResponse, Mount } from "./exchange.ts";

/** The dependencies of the webhook endpoint. */
export interface WebhookMountDeps {
  readonly receiver: Receiver;
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
 * Creates the endpoint for the service's deliveries. The headers of the signature are judged before any of the body is read, and all bodies
 * are bounded in time and together: strangers get no memory. The content type does not matter: the signature proves the origin.
 * @see "Receiver contract" and "Webhook authenticity" of the specification
 */
export function createWebhookMount(deps: WebhookMountDeps): Mount<unknown> {
  const { keys, toleranceSeconds, limitBytes, clock, publish } = deps;
  const warnOfBody = createWarning("body_already_read", bodyAlreadyReadFix);
  const watch = createDeliveryWatch(publish);

  async function handle(request: HttpRequest): Promise<HttpResponse | undefined> {
    if (request.path !== "/" && request.path !== "") return undefined;
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
    const outcome = await receiveVerified(deps, body.bytes, receivedAtMilliseconds);
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

  return { paths: ["/"], handle, close() {} };
}

function receiveVerified(
  { receiver, publish }: WebhookMountDeps,
  body: Uint8Array,
  receivedAtMilliseconds: number,
): Promise<EventOutcome> {
  const event = parseEvent(body);
  if ("unreadable" in event) {
    publish({ type: "webhook.unreadable", reason: event.unreadable });
    return receiver.receiveUnreadable(body, receivedAtMilliseconds);
  }
  // A test delivery must leave no trace: no handler, no record in the store, no entry of the inbox.
  return isCheckEvent(event) ? Promise.resolve("handled") : receiver.receive(event, receivedAtMilliseconds);
}

/** The refusals of outcomes. A stale and a duplicate event are acknowledged: the service disables an endpoint that fails for 24 hours. */
const refusals: Readonly<Partial<Record<EventOutcome, Exclude<FailingReason, "clock_off">>>> = {
  failed: "handler_failed",
  unfinished: "handler_unfinished",
  superseded: "handler_unfinished",
  store_unavailable: "store_unavailable",
};

function answerTo(outcome: EventOutcome): HttpResponse {
  const code = refusals[outcome];
  // Without headers: a cache keeps an answer to a POST only if a header allows it.
  if (!code) return { status: 204, headers: {}, cookies: [] };
  return refuse(code, code === "store_unavailable" ? { retryAfterSeconds: 5 } : {});
}

/** The service makes five attempts, so this is one event that is given up, or the first attempts of several. */
const failuresInARow = 5;

const secretFix =
  "compare the secret (WEBHOOK_SECRET) with the signing secret of this application in the service's portal.";

const noneVerified =
  "A delivery has a signature that webhooks.secret did not make, and none has had one that it did. If it is the service's, " +
  secretFix;

const causes: Readonly<Record<Exclude<FailingReason, "clock_off">, string>> = {
  signature_invalid: `have a signature that webhooks.secret did not make. If they are the service's, ${secretFix}`,
  handler_failed:
    "were answered 500, because a handler of webhooks.on threw. onEvent gets each error, in webhook.failed.",
  handler_unfinished:
    "were answered 503, because their handlers took longer than four seconds. Let handlers do less, or set webhooks.inbox.",
  store_unavailable: "were answered 503, because the store or the inbox did not answer. onEvent gets each error.",
};

/**
 * Creates the watch of an endpoint, because only the service sees the answers: five failures of one kind in a row publish
 * `webhook.failing`, and warn once. Before any delivery was verified, the first wrong signature warns: the secret is probably wrong. Nobody
 * knows whether a refused delivery is the service's, so a verified delivery ends the counts of refused ones, and an acknowledged delivery
 * ends all counts.
 */
function createDeliveryWatch(publish: Publish<WebhookDeliveryEvent>) {
  const counts = new Map<FailingReason, number>();
  const warned = new Set<FailingReason>();
  const warnOfSecret = createWarning("webhook_secret", noneVerified);
  let anyVerified = false;

  function count(reason: FailingReason, code: string, cause: string): void {
    const failures = (counts.get(reason) ?? 0) + 1;
    counts.set(reason, failures);
    if (failures !== failuresInARow) return;
    publish({ type: "webhook.failing", reason, count: failures });
    const isToldAlready = reason === "signature_invalid" && !anyVerified;
    if (isToldAlready || warned.has(reason)) return;
    warned.add(reason);
    warn(code, `The last ${failures} webhooks ${cause}`);
  }

  return {
    /** A delivery was refused, because it was signed so many seconds after this machine's time, negative for before. */
    clockOff(offsetSeconds: number): void {
      const distance = `${Math.abs(offsetSeconds)} seconds ${offsetSeconds < 0 ? "before" : "after"}`;
      const cause =
        `were refused, because they were signed ${distance} the time of this machine. If they are the service's, the clock of this ` +
        "machine is wrong: synchronize it (NTP). `npx @doorcode/cli check` of another machine measures it.";
      count("clock_off", "webhook_clock_off", cause);
    },
    wrongSignature(): void {
      if (!anyVerified) warnOfSecret();
      count("signature_invalid", "webhook_failing", causes.signature_invalid);
    },
    verified(outcome: EventOutcome): void {
      anyVerified = true;
      counts.delete("clock_off");
      counts.delete("signature_invalid");
      // Another process took the event over: that is no failure of this endpoint.
      if (outcome === "superseded") return;
      const reason = refusals[outcome];
      if (reason) count(reason, "webhook_failing", causes[reason]);
      else counts.clear();
    },
  };
}
