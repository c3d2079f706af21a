import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";

/** Why a delivery is not accepted. Told to `onEvent` only; whoever sent it learns nothing but 401. */
export type SignatureReason =
  | "header_missing"
  | "timestamp_malformed"
  | "timestamp_outside_tolerance"
  | "signature_malformed"
  | "signature_mismatch";

/**
 * Signs one delivery attempt as the service does: the two headers of `{timestamp}.{raw body}`.
 *
 * @param delivery.timestampSeconds - Unix seconds of this attempt; now when left out.
 * @see "Webhook authenticity" of the specification
 * @example
 * import { signDelivery } from "@doorcode/core";
 * const body = JSON.stringify({ event: "message.status.update", data: { message_id: "m1" } });
 * const headers = signDelivery({ secret: "whsec_test", body });
 */
export function signDelivery(delivery: {
  readonly secret: string;
  readonly body: string | Uint8Array;
  readonly timestampSeconds?: number;
}): { "X-Webhook-Timestamp": string; "X-Webhook-Signature": string } {
  const timestamp = String(delivery.timestampSeconds ?? Math.floor(Date.now() / 1000));
  const signature = createHmac("sha256", delivery.secret).update(`${timestamp}.`).update(delivery.body).digest("hex");
  return { "X-Webhook-Timestamp": timestamp, "X-Webhook-Signature": `v1=${signature}` };
}

/** What came over the wire. The body is hashed as it is: a parsed or re-serialised one has other bytes. */
export interface Delivery {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

/** What a delivery is held against. */
export interface SignatureCheck {
  readonly keys: readonly KeyObject[];
  /** How far the timestamp may be from now, in either direction. */
  readonly toleranceSeconds: number;
  /** Unix milliseconds. */
  readonly nowMilliseconds: number;
}

const maxSecrets = 4;
const maxSignatures = 8;
const timestampForm = /^[0-9]{1,12}$/;
const signatureForm = /^[ \t]*v1=([0-9a-f]{64})[ \t]*$/;
const firstVersion = /^[ \t]*v1=/;

/**
 * Imports signing secrets once, at start: a hash keyed with text costs several times one with an imported key.
 *
 * @param secrets - one, or while a secret is being regenerated the old and the new one; at most four.
 * @throws TypeError when there is none, one is empty, or there are too many.
 */
export function importSigningSecrets(secrets: string | readonly string[]): readonly KeyObject[] {
  const list = typeof secrets === "string" ? [secrets] : secrets;
  if (list.length === 0 || list.length > maxSecrets) {
    throw new TypeError(
      `Expected 1 to ${maxSecrets} webhook signing secrets, got ${list.length}: give the current one, and the previous one while deliveries signed with it may still come.`,
    );
  }
  if (list.includes("")) {
    throw new TypeError("A webhook signing secret is empty: copy it from the portal (Applications, Manage, Webhooks).");
  }
  return list.map((secret) => createSecretKey(secret, "utf8"));
}

/**
 * Verifies that a delivery comes from the service, is untouched and recent: answers why not, or `undefined` when it is.
 *
 * A pure function: no store, no clock, and nothing is thrown for anything a stranger can send.
 *
 * @see "Receiver verification, in order" of the specification
 */
export function verifyDelivery(delivery: Delivery, check: SignatureCheck): SignatureReason | undefined {
  const timestamp = delivery.headers["x-webhook-timestamp"];
  const signature = delivery.headers["x-webhook-signature"];
  if (timestamp === undefined || signature === undefined) return "header_missing";
  if (typeof timestamp !== "string" || !timestampForm.test(timestamp)) return "timestamp_malformed";
  const candidates = typeof signature === "string" ? readSignatures(signature) : [];
  if (candidates.length === 0) return "signature_malformed";
  const distanceSeconds = Math.abs(Math.floor(check.nowMilliseconds / 1000) - Number(timestamp));
  if (distanceSeconds > check.toleranceSeconds) return "timestamp_outside_tolerance";
  const matches = check.keys.some((key) => {
    // The timestamp as it was sent: a number written out again would lose its leading zeros.
    const expected = createHmac("sha256", key).update(`${timestamp}.`).update(delivery.body).digest();
    return candidates.some((candidate) => timingSafeEqual(candidate, expected));
  });
  return matches ? undefined : "signature_mismatch";
}

/** Reads the well-formed `v1` entries; none when there are more than anybody honest sends. */
function readSignatures(header: string): readonly Buffer[] {
  const entries = header.split(",").filter((entry) => firstVersion.test(entry));
  if (entries.length > maxSignatures) return [];
  return entries.flatMap((entry) => {
    const hex = signatureForm.exec(entry)?.[1];
    return hex === undefined ? [] : [Buffer.from(hex, "hex")];
  });
}
