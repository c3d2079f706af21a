import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { secret } from "./deliveries.ts";

const key = createSecretKey(Buffer.from(secret));
const toleranceSeconds = 300;

/** The least that a receiver has to do: two headers, the time, the HMAC of the bytes, and a comparison in constant time. */
export function isAuthentic(headers: Readonly<Record<string, unknown>>, body: Uint8Array): boolean {
  const timestamp = headers["x-webhook-timestamp"];
  const signature = headers["x-webhook-signature"];
  if (typeof timestamp !== "string" || typeof signature !== "string") return false;
  if (!(Math.abs(Math.floor(Date.now() / 1000) - Number(timestamp)) <= toleranceSeconds)) return false;
  const expected = createHmac("sha256", key).update(`${timestamp}.`).update(body).digest();
  const given = Buffer.from(signature.slice("v1=".length), "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}
