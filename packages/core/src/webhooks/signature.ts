import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";

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
 * @param delivery.timestampSeconds - the time of this attempt in Unix seconds. Default: now.
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

/** A delivery as it arrived. */
export interface Delivery {
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The exact bytes of the body. A parsed and serialized body has other bytes, so its signature would not match. */
  readonly body: Uint8Array;
}

/** The times with which the headers of a delivery are judged. */
export interface TimestampCheck {
  /** The maximum distance between the timestamp and now, in either direction. */
  readonly toleranceSeconds: number;
  /** The current time in Unix milliseconds. */
  readonly nowMilliseconds: number;
}

/** The keys and times with which a delivery is verified. */
export interface SignatureCheck extends TimestampCheck {
  /** The signing secrets. One match is enough. */
  readonly keys: readonly KeyObject[];
}

/** The signature of a delivery whose headers are well-formed and recent. */
export interface DeliverySignature {
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
 * Verifies that a delivery is the service's, unchanged and recent. Returns `undefined`, or the reason of a refusal.
 *
 * The function is pure, uses no store and no clock, and never throws, whatever a stranger sends.
 *
 * @see "Receiver verification, in order" of the specification
 */
export function verifyDelivery({ headers, body }: Delivery, check: SignatureCheck): SignatureReason | undefined {
  const signature = readSignature(headers, check);
  return typeof signature === "string" ? signature : verifyBody(signature, body, check.keys);
}

/**
 * Reads the signature from the headers, before the body is there. Returns the reason if they refuse the delivery
 * already.
 */
export function readSignature(
  headers: Delivery["headers"],
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
  const entries = header.split(",").filter((entry) => firstVersion.test(entry));
  if (entries.length > maxSignatures) return [];
  return entries.flatMap((entry) => {
    const hex = signatureForm.exec(entry)?.[1];
    return hex === undefined ? [] : [hex];
  });
}
