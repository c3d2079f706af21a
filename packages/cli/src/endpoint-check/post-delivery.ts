import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Clock } from "@doorcode/core/store";

/** A test delivery to send. */
export interface TestDelivery {
  readonly url: string;
  /** The headers of the signature. */
  readonly headers: Readonly<Record<string, string>>;
  /** The exact body. */
  readonly body: string;
  /** The time from the connection to the end of the answer. */
  readonly timeoutMilliseconds: number;
  /** Measures the time of the answer. */
  readonly clock: Clock;
}

/** The answer to a test delivery. */
export interface DeliveryAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The first 2,000 characters of the body. */
  readonly body: string;
  /** The arrival of the status, in Unix milliseconds. */
  readonly receivedAtMilliseconds: number;
  readonly tookMilliseconds: number;
}

/** A delivery without an answer. */
export interface DeliveryFailure {
  /** The code of Node's error, such as `ECONNREFUSED`; `TIMED_OUT` when the time is up. */
  readonly failure: string;
}

const maxExcerptLength = 2000;

/**
 * Posts a test delivery as the service does: over a new connection, with a valid certificate, and without following redirects.
 * Never rejects.
 */
export function postDelivery(delivery: TestDelivery): Promise<DeliveryAnswer | DeliveryFailure> {
  const { url, headers, body, timeoutMilliseconds, clock } = delivery;
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  const startedAt = clock.now();
  const { promise, resolve } = Promise.withResolvers<DeliveryAnswer | DeliveryFailure>();
  const fail = (error: NodeJS.ErrnoException) =>
    resolve({ failure: signal.aborted ? "TIMED_OUT" : (error.code ?? "NO_ANSWER") });
  const target = new URL(url);
  const request = (target.protocol === "https:" ? requestHttps : requestHttp)(target, {
    method: "POST",
    headers: { "Content-Type": "application/json", "User-Agent": "doorcode-check", ...headers },
    agent: false,
    // Even when the environment disables the check, because the service would not deliver there.
    rejectUnauthorized: true,
    signal,
  });
  let answered = false;
  // Some answers, such as a protocol upgrade, end a request without an error.
  request.on("error", fail).on("close", () => answered || resolve({ failure: "NO_ANSWER" }));
  request.on("response", (response) => {
    answered = true;
    const receivedAtMilliseconds = clock.now();
    const { statusCode: status = 0, headers } = response;
    readExcerpt(response).then(
      (body) => resolve({ status, headers, body, receivedAtMilliseconds, tookMilliseconds: clock.now() - startedAt }),
      fail,
    );
  });
  request.end(body);
  return promise;
}

async function readExcerpt(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += chunk;
    if (text.length >= maxExcerptLength) break;
  }
  return text.slice(0, maxExcerptLength);
}
