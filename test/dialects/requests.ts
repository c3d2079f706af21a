import type { MessageRequest } from "@doorcode/core/service";

/** An ordinary number, one whose events arrive twice, and one whose SENT arrives after the outcome. */
export const plainPhone = "+4915112345678";
export const duplicatingPhone = "+491713920051";
export const reorderingPhone = "+491713920061";

/** A request for messages. */
export function messageTo(recipients: readonly string[], { sender = "Doorcode" } = {}): MessageRequest {
  return { recipients, channels: [{ channel: "SMS", sender, content: { text: "Your order is on its way." } }] };
}
