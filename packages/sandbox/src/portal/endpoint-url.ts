import type { Application } from "../state/application.ts";
import { isLoopbackUrl } from "../webhook/loopback.ts";
import { destinationSentence, isDestination } from "../wire/destination.ts";

/**
 * Says what is wrong with the URL of an endpoint; undefined when it is right. The service takes any https URL, the sandbox
 * calls only this machine unless it was told otherwise: better said now than by a delivery that fails.
 *
 * @see "Registration and routing" of the specification
 */
export function endpointUrlFault(
  { dialect }: Application,
  url: string,
  allowRemoteWebhooks: boolean,
): string | undefined {
  if (!isDestination(url, dialect)) return destinationSentence(dialect);
  if (allowRemoteWebhooks || isLoopbackUrl(url)) return undefined;
  return "Must be a URL on this machine, such as http://localhost:3000/webhooks, unless remote webhooks are allowed.";
}
