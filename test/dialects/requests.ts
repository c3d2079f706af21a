import type { MessageRequest, VerificationRequest } from "@doorcode/core/service";

/** A number that behaves, and two of the sandbox's that do not: each event comes twice; SENT comes after the outcome. */
export const plainPhone = "+4915112345678";
export const duplicatingPhone = "+491713920051";
export const reorderingPhone = "+491713920061";

/** In the form of a phone number, and none. */
export const nobodysPhone = "+999999999999";

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
