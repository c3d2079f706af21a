import { z } from "zod";
import { type Clock, systemClock } from "../util/clock.ts";
import { clockOption, parseOptions, secretServiceOption, strictOptions } from "../util/parse-options.ts";
import { readSecrets, type Secret, type SecretService, signingSecret } from "../util/secrets.ts";
import { importSigningSecrets, type SignatureReason, verifyDelivery } from "./signature.ts";

/** Options of {@link createWebhookVerifier}. */
export interface WebhookVerifierOptions {
  /** The application's signing secret; a list of the new one and the old one while it is being regenerated. */
  readonly secret: Secret;
  /** The service that delivers. Only the secret that the sandbox publishes needs it, on this machine. */
  readonly service?: SecretService;
  /** The maximum distance between a delivery's timestamp and the clock, in either direction. Default: 300. */
  readonly toleranceSeconds?: number;
  /** The clock, for tests. Default: the machine's clock. */
  readonly clock?: Clock;
}

/** A delivery, as a host has it. */
export interface ReceivedDelivery {
  /** A fetch `Headers`, or a record with names in any case. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The exact bytes of the body, before any parsing. */
  readonly body: Uint8Array;
}

/** The result of verifying a delivery. The reason is for the log; the answer to a refused delivery is a bare 401. */
export type SignatureResult =
  | { readonly authentic: true }
  | { readonly authentic: false; readonly reason: SignatureReason };

const shape = strictOptions({
  secret: z.unknown().optional(),
  service: secretServiceOption,
  toleranceSeconds: z.number("expected seconds, 0 or more").min(0, "expected seconds, 0 or more").default(300),
  clock: clockOption.default(systemClock),
});

/**
 * Creates a function that verifies the signature of deliveries, for hosts without a mount of the kit.
 *
 * The function never throws. It does not parse, order or deduplicate: `parseEvent` parses, and mounting `webhooks` does
 * all of it.
 *
 * @throws TypeError for a missing or wrong secret, for the sandbox's without a `service` on this machine, and for a
 * wrong option.
 * @example
 * import { createWebhookVerifier, parseEvent } from "@doorcode/core";
 * const verify = createWebhookVerifier({
 *   secret: process.env.WEBHOOK_SECRET,
 *   service: { baseUrl: process.env.SERVICE_URL },
 * });
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
  const { toleranceSeconds, clock, service } = parseOptions("createWebhookVerifier", shape, options);
  const secrets = readSecrets("createWebhookVerifier", "secret", signingSecret, options.secret, service?.baseUrl);
  const keys = importSigningSecrets(secrets);

  return ({ headers, body }) => {
    const signatureHeaders = {
      "x-webhook-timestamp": findHeader(headers, "x-webhook-timestamp"),
      "x-webhook-signature": findHeader(headers, "x-webhook-signature"),
    };
    const reason = verifyDelivery(
      { headers: signatureHeaders, body },
      { keys, toleranceSeconds, nowMilliseconds: clock.now() },
    );
    return reason === undefined ? { authentic: true } : { authentic: false, reason };
  };
}

function findHeader(headers: ReceivedDelivery["headers"], name: string): string | readonly string[] | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const spelling = Object.keys(headers).find((other) => other.toLowerCase() === name);
  return spelling === undefined ? undefined : headers[spelling];
}

/** Decides by a method: a host may have its own `Headers` class. In a record, a header named `entries` is a text. */
function isHeaders(headers: ReceivedDelivery["headers"]): headers is Headers {
  return typeof headers.entries === "function";
}
