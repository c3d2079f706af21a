import { createHmac } from "node:crypto";

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
