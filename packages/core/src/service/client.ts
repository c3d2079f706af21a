import { z } from "zod";
import type { Clock } from "../util/clock.ts";
import { describeWrongUrl } from "../util/origin.ts";
import { clockOption, functionOption, objectOption, parseOptions, strictOptions } from "../util/parse-options.ts";
import { refusePublished } from "../util/secrets.ts";
import { createAgent, type ServiceDispatcher } from "./attempt.ts";
import { createCall } from "./call.ts";
import { parseSecureUrl } from "./fields.ts";
import { createMessages, type Messages } from "./messages.ts";
import { createVerifications, type Verifications } from "./verifications.ts";

/** Options of {@link createServiceClient}. */
export interface ServiceOptions {
  /** The URL of the service, with its path such as `/v1`: `process.env.SERVICE_URL`. */
  readonly baseUrl: string | undefined;
  /** The API key of the application: `process.env.SERVICE_API_KEY`. */
  readonly apiKey: string | undefined;
  /** Replaces the client's own agent, for example by a `ProxyAgent` or a `MockAgent` of undici 7 or 8. `close` leaves it open. */
  readonly dispatcher?: ServiceDispatcher;
  /** The time to establish a connection. Not used with a `dispatcher`. Default: 3. */
  readonly connectTimeoutSeconds?: number;
  /** The time from the start of a request to the end of its answer. Default: 10. */
  readonly responseTimeoutSeconds?: number;
  /** The clock of time-outs and of pauses before retries. Default: the machine's clock. */
  readonly clock?: Clock;
  /** Finds the verification's id in the body of a creation's answer. Default: looks in the usual fields. */
  readonly readVerificationId?: (body: unknown) => string | undefined;
}

/**
 * The service's HTTP API, with one function for each endpoint. Each rejects with a `DoorcodeError`, whose `outcome` is "refused" if the
 * service surely did not act on the request, and "unknown" otherwise. No error contains the API key, a phone number or a one-time code.
 *
 * - `service_invalid_request`: a field is wrong. The client or the service found it.
 * - `service_unauthorized`: the service rejected the API key.
 * - `service_not_found`: the service does not know the id or the path.
 * - `sender_not_registered`: the sender is not registered on the account.
 * - `service_rate_limited`, `service_unavailable`: try again later, after `retryAfterSeconds` if it is set.
 * - `service_unreadable`: the answer is a redirect, or a 2xx that cannot be read.
 *
 * No request of the service is idempotent. So the client retries a request at most twice, and only if the connection failed before any byte
 * was sent, or if the service answered 429 with a `Retry-After` of at most 2 seconds.
 */
export interface ServiceClient {
  /** Outbound messages. */
  readonly messages: Messages;
  /** One-time codes. */
  readonly verifications: Verifications;
  /** Closes the client's own connections after pending answers. Further calls have no effect. */
  close(): Promise<void>;
}

const baseUrlExpected = "expected the URL of the service, with https unless it is on this machine: set SERVICE_URL";
const apiKeyExpected = "expected the API key, visible ASCII without spaces: set SERVICE_API_KEY";

const optionsShape = strictOptions(
  {
    baseUrl: z.string(baseUrlExpected).transform((text, context) => {
      const url = parseSecureUrl(text);
      if (url && url.search === "" && url.hash === "") return url;
      context.addIssue(baseUrlExpected + describeWrongUrl(text));
      return z.NEVER;
    }),
    apiKey: z.string(apiKeyExpected).regex(/^[\x21-\x7e]+$/, apiKeyExpected),
    dispatcher: objectOption<ServiceDispatcher>(["dispatch"], "expected a Dispatcher of undici").optional(),
    connectTimeoutSeconds: z.number("expected seconds").positive("expected seconds above 0").default(3),
    responseTimeoutSeconds: z.number("expected seconds").positive("expected seconds above 0").default(10),
    clock: clockOption,
    readVerificationId: functionOption().optional(),
  },
  "{ baseUrl, apiKey }",
);

const shape = optionsShape.superRefine(({ baseUrl, apiKey }, context) => {
  const refusal = refusePublished(apiKey, baseUrl.origin, "baseUrl", "set SERVICE_API_KEY to the application's own");
  if (refusal !== undefined) context.addIssue({ code: "custom", path: ["apiKey"], message: `it ${refusal}` });
});

/** The shape of the client's options, for an app that passes them inside of others. @internal */
export const serviceShape: z.ZodType<unknown> = shape;

/**
 * Creates a client of the service for one application.
 *
 * @throws TypeError for a wrong or missing option; it names the option and the environment variable to set.
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
  const { dispatcher, connectTimeoutSeconds, ...callOptions } = checked;
  const getDispatcher = dispatcher ? async () => dispatcher : createAgent(connectTimeoutSeconds);
  // From here on only closures hold the API key: it must not be reachable from the client, an error or an answer.
  const call = createCall({ ...callOptions, getDispatcher });
  let closing: Promise<void> | undefined;
  return {
    messages: createMessages(call),
    verifications: createVerifications(call, options.readVerificationId),
    async close() {
      if (dispatcher === undefined) closing ??= getDispatcher().then((agent) => agent.close());
      await closing;
    },
  };
}
