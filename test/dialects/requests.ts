import type { MessageRequest, VerificationRequest } from "@doorcode/core/service";

/** An ordinary number, one whose events arrive twice, and one whose SENT arrives after the outcome. */
export const plainPhone = "+4915112345678";
export const duplicatingPhone = "+491713920051";
export const reorderingPhone = "+491713920061";

/** Written like a phone number, but not one. */
export const invalidPhone = "+999999999999";

/** A request for messages. */
export function messageTo(recipients: readonly string[], { sender = "Doorcode" } = {}): MessageRequest {
  return { recipients, channels: [{ channel: "SMS", sender, content: { text: "Your order is on its way." } }] };
}

/** A request for a verification. */
export const verification: VerificationRequest = {
  recipient: plainPhone,
  template: { name: "login" },
  channels: [{ channel_name: "SMS", priority: 1 }],
};
