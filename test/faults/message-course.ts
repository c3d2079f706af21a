import type { WebhookEvent } from "@doorcode/core";
import { keyOf, type Payload, statusesOf } from "../inbox/deliveries.ts";
import { phone } from "../support/login-setup.ts";

/** The three statuses of a message to a number, in the order in which they happened. */
export function courseOf(messageId: string): readonly [queued: Payload, sent: Payload, delivered: Payload] {
  const to = (payload: Payload): Payload => {
    const data = { ...payload.data, recipient: phone };
    return { ...payload, data };
  };
  const [queued, sent, delivered] = statusesOf(messageId);
  return [to(queued), to(sent), to(delivered)];
}

/** Names events, or the events of payloads. */
export function keysOf(of: readonly (WebhookEvent | Payload)[]): readonly string[] {
  return of.map((one) => ("key" in one ? one.key : keyOf(one)));
}
