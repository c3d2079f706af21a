import { Agent, type Dispatcher } from "undici";
import { z } from "zod";
import { type Clock, systemClock } from "../primitives/clock.ts";
import { parseOptions } from "../primitives/parse-options.ts";
import { createCall } from "./call.ts";
import { createMessages, type Messages } from "./messages.ts";
import { parseSecureUrl } from "./secure-url.ts";
import { createTransport } from "./transport.ts";
import { createVerifications, type Verifications } from "./verifications.ts";

/** Options of {@link createServiceClient}. */
export interface ServiceOptions {
  /** Where the service is, with a path such as `/v1` if it has one: `process.env.SERVICE_URL`. */
  readonly baseUrl: string | undefined;
  /** The key of the application: `process.env.SERVICE_API_KEY`. */
  readonly apiKey: string | undefined;
  /** Carries the requests instead of the client's own agent, such as a `ProxyAgent` or a `MockAgent`. Left open by `close`. */
  readonly dispatcher?: Dispatcher;
  /** Until a connection stands; not used with a `dispatcher`. Default: 3. */
  readonly connectTimeoutSeconds?: number;
  /** From the sending of a request to the end of its answer. Default: 10. */
  readonly responseTimeoutSeconds?: number;
  /** Times answers and the pauses before retries. */
  readonly clock?: Clock;
  /** Finds the verification's id in the body of a creation's answer, instead of the usual places. */
  readonly readVerificationId?: (body: unknown) => string | undefined;
}

/**
 * The service's HTTP API, one function an endpoint.
 *
 * Each rejects with a `DoorcodeError`. Its `outcome` is "refused" when the service surely did not do what it was asked,
 * "unknown" when nobody can know. No error holds the API key, a phone number or a one-time code.
 *
 * - `service_invalid_request`: a field is wrong, found before the request left or by the service.
 * - `service_unauthorized`, `service_not_found`, `sender_not_registered`: as they say.
 * - `service_rate_limited`, `service_unavailable`: later, see `retryAfterSeconds`.
 * - `service_unreadable`: a redirect, or a success that cannot be read as one.
 *
 * A request is sent again only when the connection failed before a byte of it left, or when the service asks to slow
 * down for 2 seconds at most; twice at most. Nothing else is repeated, since no request of the service is idempotent.
 */
export interface ServiceClient {
  readonly messages: Messages;
  readonly verifications: Verifications;
  /** Closes the client's own connections, after the answers under way. Once is enough; twice does no harm. */
  close(): Promise<void>;
}

const baseUrlExpected = "expected the URL of the service, https unless it is on this machine: set SERVICE_URL";
const apiKeyExpected = "expected the API key, visible ASCII without spaces: set SERVICE_API_KEY";

const shape = z.strictObject({
  baseUrl: z.string(baseUrlExpected).transform((text, context) => {
    const url = parseSecureUrl(text);
    if (url && url.search === "" && url.hash === "") return url;
    context.addIssue(baseUrlExpected);
    return z.NEVER;
  }),
  apiKey: z.string(apiKeyExpected).regex(/^[\x21-\x7e]+$/, apiKeyExpected),
  dispatcher: z.custom<Dispatcher>(hasMethod("dispatch"), "expected a Dispatcher of undici").optional(),
  connectTimeoutSeconds: z.number("expected seconds").positive("expected seconds above 0").default(3),
  responseTimeoutSeconds: z.number("expected seconds").positive("expected seconds above 0").default(10),
  clock: z.custom<Clock>(hasMethod("schedule"), "expected a Clock").default(systemClock),
  readVerificationId: z
    .custom<(body: unknown) => string | undefined>((value) => typeof value === "function", "expected a function")
    .optional(),
});

/**
 * Creates a client of the service for one application.
 *
 * @throws TypeError for a wrong or missing option, naming it and the environment variable to set.
 * @see "Endpoints" and "Authentication" of the specification
 * @example
 * import { createServiceClient } from "@doorcode/core/service";
 * const service = createServiceClient({ baseUrl: process.env.SERVICE_URL, apiKey: process.env.SERVICE_API_KEY });
 * const { request_id, messages } = await service.messages.send({
 *   recipients: ["+4915123456789"],
 *   channels: [{ channel: "SMS", sender: "Example", content: { text: "Your order is on its way." } }],
 * });
 */
export function createServiceClient(options: ServiceOptions): ServiceClient {
  const checked = parseOptions("createServiceClient", shape, options);
  const { dispatcher = createAgent(checked.connectTimeoutSeconds), readVerificationId, ...rest } = checked;
  // The API key stays in closures from here on: no property of the client, of an error or of an answer leads to it.
  const call = createCall(createTransport({ ...rest, dispatcher }), checked.apiKey);
  let closing: Promise<void> | undefined;
  return {
    messages: createMessages(call),
    verifications: createVerifications(call, readVerificationId),
    async close() {
      if (checked.dispatcher === undefined) closing ??= dispatcher.close();
      await closing;
    },
  };
}

function createAgent(connectTimeoutSeconds: number): Agent {
  // With one request on a connection at a time, a cut connection tells about that request alone.
  return new Agent({ connect: { timeout: connectTimeoutSeconds * 1000 }, allowH2: false });
}

function hasMethod(name: string): (value: unknown) => boolean {
  return (value) => typeof (value as Readonly<Record<string, unknown>> | null)?.[name] === "function";
}
