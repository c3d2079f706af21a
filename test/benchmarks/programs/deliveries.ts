import { createHmac } from "node:crypto";

/** The signing secret of all programs, also in the forms that other libraries ask for. */
export const secret = "whsec_b3BlbiBzZXNhbWUgb2YgdGhlIGJlbmNobWFya3M=";

/** A webhook as it arrives: the exact bytes, and its time in Unix seconds. */
export interface Delivery {
  readonly body: Buffer;
  readonly timestamp: string;
}

/** A delivery about a message. */
export interface MessageDelivery extends Delivery {
  readonly messageId: string;
}

let messages = 0;

/** Creates a delivery about a message of its own, with a body of exactly so many bytes. */
export function createDelivery(bytes: number): MessageDelivery {
  const messageId = `msg_${process.pid}_${messages++}`;
  const data = {
    message_id: messageId,
    recipient: "+4915123456789",
    channel: "SMS",
    status: "DELIVERED",
    status_updated_at: new Date().toISOString(),
  };
  const bodyWith = (note: string) => JSON.stringify({ event: "message.status.update", data: { ...data, note } });
  const note = "n".repeat(bytes - bodyWith("").length);
  return { messageId, body: Buffer.from(bodyWith(note)), timestamp: String(Math.floor(Date.now() / 1000)) };
}

/** Signs a delivery as the service does, without the kit. Stripe signs the same text. */
export function signatureOf({ body, timestamp }: Delivery): string {
  return createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");
}

/** The headers of a delivery of the service. */
export function headersOf(delivery: Delivery): Record<string, string> {
  return {
    "content-type": "application/json",
    "x-webhook-timestamp": delivery.timestamp,
    "x-webhook-signature": `v1=${signatureOf(delivery)}`,
  };
}
