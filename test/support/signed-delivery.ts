import { createHmac } from "node:crypto";
import type { HeaderLines } from "./raw-post.ts";

/** The signature as the specification describes it, computed without the kit. */
export function signatureOf(body: string | Uint8Array, timestamp: string | number, secret: string): string {
  return createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");
}

/** The headers of a delivery attempt. */
export function signedHeaders(body: string | Uint8Array, timestamp: string | number, secret: string): HeaderLines {
  return [
    ["content-type", "application/json"],
    ["x-webhook-timestamp", String(timestamp)],
    ["x-webhook-signature", `v1=${signatureOf(body, timestamp, secret)}`],
  ];
}
