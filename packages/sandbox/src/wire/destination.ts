import { isLoopbackUrl } from "../webhook/loopback.ts";
import type { Dialect } from "./dialect.ts";

/**
 * Tells whether webhooks can be sent to a URL: https, or http on this machine unless the dialect is strict.
 *
 * @see "Receiver contract" of the specification
 */
export function isDestination(text: string, { httpTargets }: Dialect): boolean {
  const url = URL.parse(text);
  if (!url || url.username || url.password) return false;
  return url.protocol === "https:" || (httpTargets === "loopback" && isLoopbackUrl(text));
}

/** Says what {@link isDestination} takes. */
export function destinationSentence({ httpTargets }: Dialect): string {
  return httpTargets === "loopback" ? "Must be an https URL, or http on this machine." : "Must be an https URL.";
}
