import { type Doorcode, partsOf } from "./doorcode.ts";
import type { Mount } from "./http/exchange.ts";
import { createWebhookMount } from "./http/webhook-endpoint.ts";

/**
 * Creates the endpoint for the service's webhooks, for a framework to mount.
 *
 * @throws TypeError if the kit was created without webhooks
 */
export function mountWebhooks(doorcode: Doorcode): Mount<unknown> {
  const { webhooks } = partsOf(doorcode);
  if (!webhooks) throw new TypeError("webhooks: createDoorcode was called without webhooks: add it to the options.");
  return createWebhookMount(webhooks);
}
