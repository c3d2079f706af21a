import { type Clock, systemClock } from "../primitives/clock.ts";
import { importSigningSecrets, type SignatureReason, verifyDelivery } from "./signature.ts";

/** How {@link createWebhookVerifier} checks. */
export interface WebhookVerifierOptions {
  /** The application's signing secret; a list while it is being regenerated. */
  readonly secret: string | readonly string[] | undefined;
  /** How far a timestamp may be from now, in either direction; 300 when left out. */
  readonly toleranceSeconds?: number;
  readonly clock?: Clock;
}

/** A delivery, however a host has it. */
export interface ReceivedDelivery {
  /** A fetch `Headers`, or a record with names in any case. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The exact bytes of the body, before any parsing. */
  readonly body: Uint8Array;
}

/** Whether a delivery comes from the service. The reason is for the log; the answer to a refused delivery is a bare 401. */
export type SignatureResult =
  | { readonly authentic: true }
  | { readonly authentic: false; readonly reason: SignatureReason };

/**
 * Creates a function that tells whether a delivery is signed by the service, for hosts without a mount of the kit.
 *
 * The function never throws. It neither parses, orders nor deduplicates: see `parseEvent` for the first, and mount
 * `webhooks` for all of them.
 *
 * @throws TypeError when the secret is missing or the tolerance is no number of seconds.
 * @example
 * import { createWebhookVerifier, parseEvent } from "@doorcode/core";
 * const verify = createWebhookVerifier({ secret: process.env.WEBHOOK_SECRET });
 * export async function POST(request: Request): Promise<Response> {
 *   const body = new Uint8Array(await request.arrayBuffer());
 *   if (!verify({ headers: request.headers, body }).authentic) return new Response(null, { status: 401 });
 *   const event = parseEvent(body);
 *   return new Response(null, { status: "unreadable" in event ? 202 : 204 });
 * }
 * @see "Webhook authenticity" of the specification
 */
export function createWebhookVerifier(
  options: WebhookVerifierOptions,
): (delivery: ReceivedDelivery) => SignatureResult {
  const { secret, toleranceSeconds = 300, clock = systemClock } = options;
  if (secret === undefined)
    throw new TypeError("createWebhookVerifier: secret is missing: set WEBHOOK_SECRET, shown once in the portal.");
  if (!(toleranceSeconds >= 0 && Number.isFinite(toleranceSeconds)))
    throw new TypeError("createWebhookVerifier: toleranceSeconds must be 0 or more.");
  const keys = importSigningSecrets(secret);

  return ({ headers, body }) => {
    const delivery = { headers: pickHeaders(headers), body };
    const reason = verifyDelivery(delivery, { keys, toleranceSeconds, nowMilliseconds: clock.now() });
    return reason === undefined ? { authentic: true } : { authentic: false, reason };
  };
}

function pickHeaders(headers: ReceivedDelivery["headers"]): Record<string, string | readonly string[] | undefined> {
  const entries = isHeaders(headers) ? [...headers.entries()] : Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

/** By shape: a host may bring a `Headers` that is not the global one. A header named `get` is text, never a function. */
function isHeaders(headers: ReceivedDelivery["headers"]): headers is Headers {
  return typeof headers.get === "function" && typeof headers.entries === "function";
}
