import { randomUUID } from "node:crypto";
import type { WebhookEvent } from "./event.ts";

const name = "doorcode.check";

/**
 * Creates the body of a test delivery. It is an event that the service never sends: the kit acknowledges it without a handler,
 * a store or an inbox, and to an app that verifies deliveries itself it is an event of an unknown kind.
 */
export function createCheckBody(): string {
  return JSON.stringify({ event: name, data: { id: randomUUID() } });
}

/** Tells whether a verified event is a test delivery. */
export function isCheckEvent(event: WebhookEvent): boolean {
  return event.kind === "unknown" && event.name === name;
}
