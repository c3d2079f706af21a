import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";

/** The signing secret of all programs. */
export const secret = "whsec_b3BlbiBzZXNhbWUgb2YgdGhlIGJlbmNobWFya3M=";

let messages = 0;

/** Creates a webhook about a message of its own, with a body of exactly so many bytes, signed without the kit. */
export function createDelivery(bytes = 1024): { id: string; body: Buffer; headers: Record<string, string> } {
  const id = `msg_${process.pid}_${messages++}`;
  const data = { message_id: id, channel: "SMS", status: "DELIVERED", status_updated_at: new Date().toISOString() };
  const text = (note: string) => JSON.stringify({ event: "message.status.update", data: { ...data, note } });
  const body = Buffer.from(text("n".repeat(bytes - text("").length)));
  const timestamp = String(Math.floor(Date.now() / 1000));
  const digest = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");
  return {
    id,
    body,
    headers: {
      "x-webhook-timestamp": timestamp,
      "x-webhook-signature": `v1=${digest}`,
      // Stripe signs the same text.
      "stripe-signature": `t=${timestamp},v1=${digest}`,
    },
  };
}

const key = createSecretKey(Buffer.from(secret));

/** The least that a receiver does: two headers, the time, the HMAC of the bytes, and a comparison in constant time. */
export function isAuthentic(headers: Readonly<Record<string, unknown>>, body: Uint8Array): boolean {
  const { "x-webhook-timestamp": timestamp, "x-webhook-signature": signature } = headers;
  if (typeof timestamp !== "string" || typeof signature !== "string") return false;
  if (!(Math.abs(Math.floor(Date.now() / 1000) - Number(timestamp)) <= 300)) return false;
  const expected = createHmac("sha256", key).update(`${timestamp}.`).update(body).digest();
  const given = Buffer.from(signature.slice("v1=".length), "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}
