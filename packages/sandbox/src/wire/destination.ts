import { isLoopbackUrl } from "../primitives/loopback.ts";
import type { Dialect } from "../state/dialect.ts";

/**
 * Tells whether webhooks can be sent to a URL: https, or http on this machine unless the dialect refuses that.
 *
 * @see "Receiver contract" of the specification
 */
export function isDestination(text: string, { httpTargets }: Dialect): boolean {
  const url = URL.parse(text);
  if (!url || url.username || url.password) return false;
  return url.protocol === "https:" || (httpTargets === "loopback" && isLoopbackUrl(text));
}

/** Returns the error message for a URL that {@link isDestination} refuses. */
export function destinationMessage({ httpTargets }: Dialect): string {
  return httpTargets === "loopback" ? "Must be an https URL, or an http URL on this machine." : "Must be an https URL.";
}
