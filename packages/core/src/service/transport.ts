import type { Dispatcher } from "undici";
import type { Clock } from "../util/clock.ts";
import { DoorcodeError } from "../util/errors.ts";
import { attemptRequest, type RawAnswer } from "./request-attempt.ts";
import { isConnectionFailure, type RequestFailure } from "./request-failure.ts";
import { readRetryAfter } from "./retry-after.ts";

/** A request to the service. */
export interface ServiceRequest {
  /** The HTTP method. */
  readonly method: "GET" | "POST";
  /** The path below the base URL, such as `/messages`. */
  readonly path: string;
  /** The body, which is sent as JSON. */
  readonly body?: unknown;
  /** Gives the request up when it aborts. */
  readonly signal: AbortSignal | undefined;
  /** The largest answer body that is read. Default: 1 MiB, far more than most answers need. */
  readonly limitBytes?: number;
}

/** An answer of the service, with any status. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number;
  /** The seconds of the `Retry-After` header. */
  readonly retryAfterSeconds: number | undefined;
  /** The parsed JSON; `undefined` if the body is not JSON or exceeds the limit. */
  readonly body: unknown;
}

/** Sends a request, retries it where that is safe, and rejects with `service_unavailable` if no answer comes. */
export type Transport = (request: ServiceRequest) => Promise<Answer>;

const defaultLimitBytes = 1_048_576;
const maxRetries = 2;
const reconnectPauseMilliseconds = 250;
const maxPauseSeconds = 2;

/** Creates the transport, which sends every request of the client. */
export function createTransport(options: {
  readonly baseUrl: URL;
  readonly apiKey: string;
  readonly getDispatcher: () => Promise<Dispatcher>;
  readonly responseTimeoutSeconds: number;
  readonly clock: Clock;
}): Transport {
  const { baseUrl, apiKey, getDispatcher, clock } = options;
  const basePath = baseUrl.pathname.replace(/\/+$/, "");

  return async ({ method, path, body, signal, limitBytes = defaultLimitBytes }) => {
    const request: Dispatcher.DispatchOptions = {
      origin: baseUrl.origin,
      path: basePath + path,
      method,
      headers: {
        "x-api-key": apiKey,
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    for (let retriesLeft = maxRetries; ; retriesLeft--) {
      const attempted = await attemptRequest(await getDispatcher(), request, { ...options, signal, limitBytes });
      const pauseMilliseconds = retriesLeft > 0 ? pauseBeforeRetry(attempted, clock) : undefined;
      if (pauseMilliseconds === undefined) return toAnswer(attempted, baseUrl, clock);
      await pause(clock, pauseMilliseconds, signal);
    }
  };
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

/** Waits; an aborting signal ends the wait early. The next attempt then sees the signal and does not start. */
function pause(clock: Clock, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    function end(): void {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    }
    const cancel = clock.schedule(milliseconds, end);
    signal?.addEventListener("abort", end);
  });
}

function toAnswer(attempted: RawAnswer | RequestFailure, { origin }: URL, clock: Clock): Answer {
  if (!("failure" in attempted)) {
    const { status, retryAfter, bytes } = attempted;
    return { status, retryAfterSeconds: readRetryAfter(retryAfter, clock.now()), body: parseJson(bytes) };
  }
  throw new DoorcodeError("service_unavailable", {
    message: `The service at ${origin} did not answer: ${attempted.failure}.`,
    outcome: attempted.mayHaveLeft ? "unknown" : "refused",
  });
}

function parseJson(bytes: Buffer | undefined): unknown {
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
