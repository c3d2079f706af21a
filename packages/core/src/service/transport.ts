import type { Dispatcher } from "undici";
import type { Clock } from "../primitives/clock.ts";
import { DoorcodeError } from "../primitives/errors.ts";
import { attempt, type RawAnswer } from "./attempt.ts";
import { type AttemptFailure, isConnectionFailure } from "./attempt-failure.ts";
import { readRetryAfter } from "./retry-after.ts";

/** A request of the client, below the base URL. */
export interface ServiceRequest {
  readonly method: "GET" | "POST";
  /** Such as `/messages`. */
  readonly path: string;
  readonly body?: unknown;
  readonly signal: AbortSignal | undefined;
  /** The largest body that is read of an answer; 1 MiB when left out, far more than most answers have. */
  readonly limitBytes?: number;
}

/** An answer of any status. */
export interface Answer {
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  /** Parsed JSON; `undefined` when it is none, or larger than the limit. */
  readonly body: unknown;
}

/** Sends requests, again where that is safe, and rejects with `service_unavailable` when there is no answer. */
export type Transport = (request: ServiceRequest) => Promise<Answer>;

const defaultLimitBytes = 1_048_576;
const retries = 2;
const connectPauseMilliseconds = 250;
const maxPauseSeconds = 2;

/** Creates the one place through which every request leaves. */
export function createTransport(options: {
  readonly baseUrl: URL;
  readonly apiKey: string;
  readonly dispatcher: Dispatcher;
  readonly responseTimeoutSeconds: number;
  readonly clock: Clock;
}): Transport {
  const { baseUrl, apiKey, dispatcher, clock } = options;
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
    for (let retriesLeft = retries; ; retriesLeft--) {
      const attempted = await attempt(dispatcher, request, { ...options, signal, limitBytes });
      const pauseMilliseconds = retriesLeft > 0 ? pauseBeforeRetry(attempted, clock) : undefined;
      if (pauseMilliseconds === undefined) return conclude(attempted, clock);
      await pause(clock, pauseMilliseconds, signal);
    }
  };
}

/** Answers `undefined` when trying again might do the same thing twice, or would be of no use. */
function pauseBeforeRetry(attempted: RawAnswer | AttemptFailure, clock: Clock): number | undefined {
  if ("failure" in attempted) {
    const safe = !attempted.mayHaveLeft && isConnectionFailure(attempted.failure);
    return safe ? connectPauseMilliseconds : undefined;
  }
  if (attempted.status !== 429) return undefined;
  const seconds = readRetryAfter(attempted.retryAfter, clock.now());
  return seconds !== undefined && seconds <= maxPauseSeconds ? seconds * 1000 : undefined;
}

/** Ends early when the signal aborts; the next attempt then sees the signal and does not begin. */
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

function conclude(attempted: RawAnswer | AttemptFailure, clock: Clock): Answer {
  if (!("failure" in attempted)) {
    const { status, retryAfter, bytes } = attempted;
    return { status, retryAfterSeconds: readRetryAfter(retryAfter, clock.now()), body: parseJson(bytes) };
  }
  throw new DoorcodeError("service_unavailable", {
    message: `The service does not answer: ${attempted.failure}.`,
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
