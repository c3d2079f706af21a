import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Clock } from "../util/clock.ts";
import type { RequestHeaders, WithHeaders } from "../util/headers.ts";
import { clockOption, parseOptions, secretServiceOption, strictOptions } from "../util/parse-options.ts";
import { readSecrets, type Secret, type SecretService, signingSecret } from "../util/secrets.ts";

/** The reason why a delivery is refused. Only `onEvent` receives it; the sender gets a bare 401. */
export type SignatureReason =
  | "header_missing"
  | "timestamp_malformed"
  | "timestamp_outside_tolerance"
  | "signature_malformed"
  | "signature_mismatch";

/**
 * Signs a delivery attempt as the service does, over `{timestamp}.{raw body}`. Returns the two headers.
 *
 * @see "Webhook authenticity" of the specification
 * @example
 * import { signDelivery } from "@doorcode/core";
 * const body = JSON.stringify({ event: "message.status.update", data: { message_id: "m1" } });
 * const headers = signDelivery({ secret: "whsec_test", body });
 */
export function signDelivery(delivery: {
  /** The signing secret. */
  readonly secret: string;
  /** The exact body. Text is signed as UTF-8. */
  readonly body: string | Uint8Array;
  /** The time of the attempt in Unix seconds. Default: now. */
  readonly timestampSeconds?: number;
}): { "X-Webhook-Timestamp": string; "X-Webhook-Signature": string } {
  const timestamp = String(delivery.timestampSeconds ?? Math.floor(Date.now() / 1000));
  const signature = createHmac("sha256", delivery.secret).update(`${timestamp}.`).update(delivery.body).digest("hex");
  return { "X-Webhook-Timestamp": timestamp, "X-Webhook-Signature": `v1=${signature}` };
}

interface TimestampCheck {
  /** The maximum distance between the timestamp and now, in either direction. */
  readonly toleranceSeconds: number;
  readonly nowMilliseconds: number;
}

/** The signature of a delivery whose headers are well-formed and recent. */
interface DeliverySignature {
  /** As it was sent: a parsed number would lose its leading zeros. */
  readonly timestamp: string;
  /** The signatures of which one must match, in lower-case hexadecimal. */
  readonly candidates: readonly string[];
}

const maxSignatures = 8;
const timestampForm = /^[0-9]{1,12}$/;
const signatureForm = /^[ \t]*v1=([0-9a-f]{64})[ \t]*$/;
const firstVersion = /^[ \t]*v1=/;

/** Imports signing secrets. Import them once, at start: hashing with a text key costs several times as much. */
export function importSigningSecrets(secrets: readonly string[]): readonly KeyObject[] {
  return secrets.map((secret) => createSecretKey(secret, "utf8"));
}

/**
 * Verifies that a delivery is authentic and recent: `undefined`, or why not. @see "Receiver verification, in order" of the specification
 */
export function verifyDelivery(
  { headers, body }: WithHeaders & { readonly body: Uint8Array },
  check: TimestampCheck & { readonly keys: readonly KeyObject[] },
): SignatureReason | undefined {
  const signature = readSignature(headers, check);
  return typeof signature === "string" ? signature : verifyBody(signature, body, check.keys);
}

/** Reads the signature from the headers, before the body is there, or the reason why they refuse the delivery. */
export function readSignature(
  headers: RequestHeaders,
  { toleranceSeconds, nowMilliseconds }: TimestampCheck,
): DeliverySignature | SignatureReason {
  const timestamp = headers["x-webhook-timestamp"];
  const signature = headers["x-webhook-signature"];
  if (timestamp === undefined || signature === undefined) return "header_missing";
  if (typeof timestamp !== "string" || !timestampForm.test(timestamp)) return "timestamp_malformed";
  const candidates = typeof signature === "string" ? readCandidates(signature) : [];
  if (candidates.length === 0) return "signature_malformed";
  const distanceSeconds = Math.abs(Math.floor(nowMilliseconds / 1000) - Number(timestamp));
  return distanceSeconds > toleranceSeconds ? "timestamp_outside_tolerance" : { timestamp, candidates };
}

/** Verifies the body against the signature of its headers. Returns `undefined`, or the reason of a refusal. */
export function verifyBody(
  { timestamp, candidates }: DeliverySignature,
  body: Uint8Array,
  keys: readonly KeyObject[],
): SignatureReason | undefined {
  const candidateDigests = candidates.map((candidate) => Buffer.from(candidate, "hex"));
  const matches = keys.some((key) => {
    const digest = createHmac("sha256", key).update(`${timestamp}.`).update(body).digest();
    return candidateDigests.some((candidate) => timingSafeEqual(candidate, digest));
  });
  return matches ? undefined : "signature_mismatch";
}

/** Reads the well-formed `v1` signatures. Returns none if there are more `v1` entries than the service ever sends. */
function readCandidates(header: string): readonly string[] {
  const candidates: string[] = [];
  let count = 0;
  for (const entry of header.split(",")) {
    if (!firstVersion.test(entry)) continue;
    count += 1;
    if (count > maxSignatures) return [];
    const hex = signatureForm.exec(entry)?.[1];
    if (hex !== undefined) candidates.push(hex);
  }
  return candidates;
}

/** Options of {@link createWebhookVerifier}. */
export interface WebhookVerifierOptions {
  /** The application's signing secret; a list of the new one and the old one while it is being regenerated. */
  readonly secret: Secret;
  /** The service that delivers. Only the secret that the sandbox publishes needs it, on this machine. */
  readonly service?: SecretService;
  /** The maximum distance between a delivery's timestamp and the clock, in either direction. Default: 300. */
  readonly toleranceSeconds?: number;
  /** The clock, for tests. Default: the machine's clock. */
  readonly clock?: Clock;
}

/** A delivery, as a host has it. */
export interface ReceivedDelivery {
  /** A fetch `Headers`, or a record with names in any case. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The exact bytes of the body, before any parsing. */
  readonly body: Uint8Array;
}

/** The result of verifying a delivery. The reason is for the log; the answer to a refused delivery is a bare 401. */
export type SignatureResult =
  | { readonly authentic: true }
  | { readonly authentic: false; readonly reason: SignatureReason };

const shape = strictOptions({
  secret: z.unknown().optional(),
  service: secretServiceOption,
  toleranceSeconds: z.number("expected seconds, 0 or more").min(0, "expected seconds, 0 or more").default(300),
  clock: clockOption,
});

/**
 * Creates a function that verifies the signature of deliveries, for hosts without a mount of the kit.
 *
 * The function never throws. It does not parse, order or deduplicate: `parseEvent` parses, and mounting `webhooks` does all of it.
 *
 * @throws TypeError for a missing or wrong secret, for the sandbox's without a `service` on this machine, and for a wrong option.
 * @example
 * import { createWebhookVerifier, parseEvent } from "@doorcode/core";
 * const verify = createWebhookVerifier({
 *   secret: process.env.WEBHOOK_SECRET,
 *   service: { baseUrl: process.env.SERVICE_URL },
 * });
 * export async function POST(request: Request): Promise<Response> {
 *   const body = new Uint8Array(await request.arrayBuffer());
 *   if (!verify({ headers: request.headers, body }).authentic) return new Response(null, { status: 401 });
 *   const event = parseEvent(body);
 *   return new Response(null, { status: "unreadable" in event ? 202 : 204 });
 * }
 * @see "Webhook authenticity" of the specification
 */
export function createWebhookVerifier(
  options: WebhookVerifierOptions,
): (delivery: ReceivedDelivery) => SignatureResult {
  const { toleranceSeconds, clock, service } = parseOptions("createWebhookVerifier", shape, options);
  const secrets = readSecrets("createWebhookVerifier", "secret", signingSecret, options.secret, service?.baseUrl);
  const keys = importSigningSecrets(secrets);

  return ({ headers, body }) => {
    const found = {
      "x-webhook-timestamp": findHeader(headers, "x-webhook-timestamp"),
      "x-webhook-signature": findHeader(headers, "x-webhook-signature"),
    };
    const check = { keys, toleranceSeconds, nowMilliseconds: clock.now() };
    const reason = verifyDelivery({ headers: found, body }, check);
    return reason === undefined ? { authentic: true } : { authentic: false, reason };
  };
}

function findHeader(headers: ReceivedDelivery["headers"], name: string): string | readonly string[] | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  if (headers[name] !== undefined) return headers[name];
  const spelling = Object.keys(headers).find((other) => other.toLowerCase() === name);
  return spelling === undefined ? undefined : headers[spelling];
}

/** Decides by a method: a host may have its own `Headers` class. In a record, a header named `entries` is a text. */
function isHeaders(headers: ReceivedDelivery["headers"]): headers is Headers {
  return typeof headers.entries === "function";
}
