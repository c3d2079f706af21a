import { z } from "zod";
import { parseExact } from "../store/checked-store.ts";
import { type Clock, createWakeUp } from "../util/clock.ts";
import { DoorcodeError, type ErrorCode } from "../util/errors.ts";
import { createRedaction } from "../util/redact.ts";
import {
  attemptRequest,
  type DispatchedRequest,
  isConnectionFailure,
  type RawAnswer,
  type RequestFailure,
  type ServiceDispatcher,
} from "./attempt.ts";
import { chooseCode, createServiceError, readKnownCode } from "./errors.ts";

/** A request to the service. */
export interface ServiceCall {
  readonly method: "GET" | "POST";
  /** The path below the base URL, such as `/messages`. */
  readonly path: string;
  readonly body?: unknown;
  readonly signal: AbortSignal | undefined;
  /** The largest answer body that is read. Default: 1 MiB, far more than most answers need. */
  readonly limitBytes?: number;
  /** The phone numbers, codes and texts that the service might echo. No error contains them. */
  readonly sensitive: readonly string[];
  /** What the developer should look at if the service refuses the request with this code. */
  readonly hints?: Readonly<Partial<Record<ErrorCode, string>>>;
}

/** An answer with a 2xx status. */
export interface AcceptedAnswer {
  /** The parsed JSON; `undefined` if the body is not JSON. */
  readonly body: unknown;
  /** Creates the error to throw when the body shows no success, or cannot be read. */
  error(code: ErrorCode): DoorcodeError;
}

/** Sends a request, retries it where that is safe, and rejects with an error unless the answer has a 2xx status. */
export type Call = (call: ServiceCall) => Promise<AcceptedAnswer>;

/** The dependencies of {@link createCall}. */
export interface CallDeps {
  readonly baseUrl: URL;
  readonly apiKey: string;
  readonly getDispatcher: () => Promise<ServiceDispatcher>;
  readonly responseTimeoutSeconds: number;
  readonly clock: Clock;
}

const defaultLimitBytes = 1_048_576;
const maxRetries = 2;
const reconnectPauseMilliseconds = 250;
const maxPauseSeconds = 2;
const decoder = new TextDecoder();

/** Creates the function that sends every request of a client. */
export function createCall(deps: CallDeps): Call {
  const { baseUrl, apiKey, clock } = deps;
  const basePath = baseUrl.pathname.replace(/\/+$/, "");

  return async ({ method, path, body, signal, limitBytes = defaultLimitBytes, sensitive, hints = {} }) => {
    const hasBody = body !== undefined;
    const request: DispatchedRequest = {
      origin: baseUrl.origin,
      path: basePath + path,
      method,
      headers: {
        "x-api-key": apiKey,
        accept: "application/json",
        ...(hasBody && { "content-type": "application/json" }),
      },
      ...(hasBody && { body: JSON.stringify(body) }),
    };
    const { status, retryAfter, bytes } = await sendRequest(deps, request, signal, limitBytes);
    const retryAfterSeconds = readRetryAfter(retryAfter, clock.now());
    const answer = { status, retryAfterSeconds, body: parseExact(decoder.decode(bytes)) };
    const error = (code: ErrorCode) =>
      createServiceError(code, answer, createRedaction([apiKey, ...sensitive]), hints[code]);
    const isSuccess = status >= 200 && status < 300;
    if (!isSuccess) throw error(chooseCode(answer));
    return { body: answer.body, error };
  };
}

/**
 * Returns the hint for a path that every service has: if nothing is there, the base URL is wrong. It is not checked at start, because the
 * specification shows no version, and a proxy may have any path.
 */
export function missingPathHint(path: string): NonNullable<ServiceCall["hints"]> {
  const hint = `Nothing answers at ${path} below service.baseUrl. Its path may be missing, such as /v1`;
  return { service_not_found: hint };
}

const creationRefusal = z.object({ error_code: z.unknown() });

/** Throws if a 2xx has an `error_code`. @see "Verification response" of the specification */
export function throwIfRefused({ body, error }: AcceptedAnswer): void {
  const isRefusal = Boolean(creationRefusal.safeParse(body).data?.error_code);
  if (isRefusal) throw error(readKnownCode(body) ?? "service_invalid_request");
}

/** Sends a request, and again where that is safe. @throws DoorcodeError `service_unavailable` if no answer comes. */
async function sendRequest(
  { baseUrl, getDispatcher, responseTimeoutSeconds, clock }: CallDeps,
  request: DispatchedRequest,
  signal: AbortSignal | undefined,
  limitBytes: number,
): Promise<RawAnswer> {
  const limits = { clock, responseTimeoutSeconds, signal, limitBytes };
  for (let retriesLeft = maxRetries; ; retriesLeft--) {
    const attempted = await attemptRequest(await getDispatcher(), request, limits);
    const pauseMilliseconds = retriesLeft > 0 ? pauseBeforeRetry(attempted, clock) : undefined;
    if (pauseMilliseconds !== undefined) {
      const { pause, trigger } = createWakeUp(clock);
      // A signal that aborts ends the pause. The next attempt then sees it, and does not start.
      signal?.addEventListener("abort", trigger);
      await pause(pauseMilliseconds / 1000);
      signal?.removeEventListener("abort", trigger);
    } else if ("failure" in attempted) {
      throw new DoorcodeError("service_unavailable", {
        message: `The service at ${baseUrl.origin} did not answer: ${attempted.failure}.`,
        outcome: attempted.mayHaveLeft ? "unknown" : "refused",
      });
    } else {
      return attempted;
    }
  }
}

/** Returns the pause before a retry; `undefined` if a retry could act twice or would not help. */
function pauseBeforeRetry(attempted: RawAnswer | RequestFailure, clock: Clock): number | undefined {
  if ("failure" in attempted) {
    const isSafe = !attempted.mayHaveLeft && isConnectionFailure(attempted.failure);
    return isSafe ? reconnectPauseMilliseconds : undefined;
  }
  if (attempted.status !== 429) return undefined;
  const seconds = readRetryAfter(attempted.retryAfter, clock.now());
  return seconds !== undefined && seconds <= maxPauseSeconds ? seconds * 1000 : undefined;
}

/** Reads a `Retry-After` header, a number of seconds or an HTTP date, as whole seconds from now. A past date is 0. */
function readRetryAfter(value: string | undefined, nowMilliseconds: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  // `Date.parse` would accept "-1" and "5 minutes" as dates.
  if (!/^[A-Z][a-z]+, .* GMT$/.test(value)) return undefined;
  const instant = Date.parse(value);
  return Number.isNaN(instant) ? undefined : Math.max(0, Math.ceil((instant - nowMilliseconds) / 1000));
}

/** Checks a request. @throws DoorcodeError `service_invalid_request`, which names the field and never its value */
export function checkRequest<Request>(shape: z.ZodType<Request>, request: Request): Request {
  const parsed = shape.safeParse(request);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("");
  throw invalidRequest(field?.slice(1) || "request", issue?.message ?? "cannot be read");
}

/** Creates the error of a request that the client refuses to send. */
export function invalidRequest(field: string, expectation: string): DoorcodeError {
  return new DoorcodeError("service_invalid_request", { message: `${field}: ${expectation}.`, outcome: "refused" });
}
