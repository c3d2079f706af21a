import { randomBytes } from "node:crypto";
import { Agent, type ClientRequest, request as requestHttp } from "node:http";
import { type RequestOptions, request as requestHttps } from "node:https";
import type { TcpSocketConnectOpts } from "node:net";
// Not the global ones, which tests with a fake clock replace.
import { performance } from "node:perf_hooks";
import { clearTimeout, setTimeout } from "node:timers";
import { TLSSocket } from "node:tls";
import { isLoopbackName, isLoopbackUrl, lookupLoopback } from "../primitives/loopback.ts";
import type { AttemptError, DeliveryAttempt } from "../state/delivery.ts";

/** The result of one POST. */
export type PostResult = Pick<DeliveryAttempt, "status" | "answer" | "error" | "tookMilliseconds">;

/** Sends payloads to endpoints, over HTTP or to a handler in this process. */
export interface Transport {
  /**
   * Posts once, follows no redirect and never rejects.
   *
   * The errors of the result: `not_loopback` when the URL is not on this machine and remote webhooks are not allowed, and for the URL of
   * a handler that was removed; `timed_out`, `unreachable`, `bad_certificate`; `handler_threw` for a handler in this process; `cut` when
   * requested.
   */
  post(post: Post): Promise<PostResult>;
  /** Registers a handler in this process and returns its URL for `post`. */
  register(handler: FetchHandler): string;
  /** Removes the handler of a URL, if it has one. Later posts to the URL are `not_loopback`. */
  unregister(url: string): void;
}

interface TransportDeps {
  readonly closed: AbortSignal;
  readonly allowRemote: boolean;
}

/** Creates a transport. Unless `allowRemote` is set, nothing leaves this machine, not even a DNS query. */
export function createTransport({ closed, allowRemote }: TransportDeps): Transport {
  const handlers = new Map<string, FetchHandler>();

  return {
    async post(post) {
      const startedAt = performance.now();
      const handler = handlers.get(post.url);
      const allowed = handler !== undefined || isLoopbackUrl(post.url) || (allowRemote && !isOfHandler(post.url));
      const outcome = allowed ? await attempt(post, handler, closed) : failure("not_loopback");
      return { ...outcome, tookMilliseconds: Math.round(performance.now() - startedAt) };
    },
    register(handler) {
      // Random, so that a delivery from before a restart never reaches another handler.
      const url = `${handlerScheme}${randomBytes(6).toString("hex")}`;
      handlers.set(url, handler);
      return url;
    },
    unregister: (url) => void handlers.delete(url),
  };
}

const handlerScheme = "in-process:";

/** Tells whether a URL belongs to a handler in this process, present or removed. */
function isOfHandler(url: string): boolean {
  return url.startsWith(handlerScheme);
}

type Outcome = Omit<PostResult, "tookMilliseconds">;

async function attempt(post: Post, handler: FetchHandler | undefined, closed: AbortSignal): Promise<Outcome> {
  const limit = new AbortController();
  const { promise: reached, reject } = Promise.withResolvers<never>();
  limit.signal.addEventListener("abort", () => reject(limit.signal.reason), { once: true });
  const close = () => limit.abort(unreachable);
  closed.addEventListener("abort", close, { once: true });
  const timer = setTimeout(() => limit.abort(timedOut), post.timeoutMilliseconds).unref();
  try {
    if (closed.aborted) return failure("unreachable");
    // The limit comes first: a handler may ignore the signal of its request, and may itself close the sandbox.
    const sent = handler ? callHandler(handler, post, limit.signal) : postOverHttp(post, limit.signal);
    const answer = await Promise.race([reached, sent]);
    return post.cut || !answer ? failure("cut") : { ...answer, error: undefined };
  } catch (error) {
    if (limit.signal.aborted) return failure(limit.signal.reason === timedOut ? "timed_out" : "unreachable");
    if (handler) return failure(post.cut ? "cut" : "handler_threw");
    return failure(error instanceof BadCertificateError ? "bad_certificate" : "unreachable");
  } finally {
    // Otherwise the timer would keep the finished attempt for five seconds.
    clearTimeout(timer);
    closed.removeEventListener("abort", close);
  }
}

const timedOut = new Error("The time of the attempt is over.");
const unreachable = new Error("The sandbox closes.");

function failure(error: AttemptError): Outcome {
  return { status: undefined, answer: "", error };
}

/** A webhook endpoint in this process. */
export type FetchHandler = (request: Request) => Response | Promise<Response>;

/**
 * Passes a POST to a handler in this process. With `cut`, reading the body fails half-way. Rejects with the error of the
 * handler.
 */
async function callHandler(handler: FetchHandler, post: Post, signal: AbortSignal): Promise<PostAnswer> {
  const bytes = new TextEncoder().encode(post.body);
  // The web platform's type has no `duplex`, but a stream as the body requires it.
  const init: RequestInit & { readonly duplex: "half" } = {
    method: "POST",
    headers: { ...post.headers, connection: "close" },
    body: post.cut ? cutBody(bytes) : bytes,
    duplex: "half",
    signal,
  };
  const response = await handler(new Request("http://localhost/webhooks", init));
  return { status: response.status, answer: response.body ? await readExcerpt(response.body) : "" };
}

function cutBody(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const chunks = [firstHalf(bytes)];
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const chunk = chunks.pop();
    if (chunk) controller.enqueue(chunk);
    else controller.error(new TypeError("The connection was cut."));
  };
  // Queues nothing in advance, because an error would discard the queued chunk.
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

/** One POST to send. */
export interface Post {
  readonly url: string;
  /** The headers, without those of the connection. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as UTF-8. */
  readonly body: string;
  /** Time from the connection to the end of the answer's excerpt, on the wall clock. */
  readonly timeoutMilliseconds: number;
  /** Closes the connection after half of the body. */
  readonly cut?: boolean;
}

type PostAnswer = Pick<PostResult, "answer"> & { readonly status: number };

/** The error of a TLS connection whose certificate is not trusted. */
class BadCertificateError extends Error {}

/**
 * Posts once over a new connection and follows no redirect. With `cut` it sends half of the body, closes the connection and
 * resolves without an answer.
 *
 * Rejects with {@link BadCertificateError} when TLS refuses the certificate, and with another error when there is no
 * complete answer, for example because `signal` was aborted.
 *
 * @see "Receiver contract" of the specification
 */
function postOverHttp(post: Post, signal: AbortSignal): Promise<PostAnswer | undefined> {
  const bytes = Buffer.from(post.body);
  return new Promise((resolve, reject) => {
    const request = open(post, bytes.byteLength, signal);
    rejectOnFailure(request, reject);
    request.on("response", (response) => {
      const status = response.statusCode ?? 0;
      readExcerpt(response).then((answer) => resolve({ status, answer }), reject);
    });
    if (!post.cut) {
      request.end(bytes);
      return;
    }
    request.write(firstHalf(bytes), (error) => {
      if (error) return;
      resolve(undefined);
      request.destroy();
    });
  });
}

/** Returns the part of a body that is sent before the connection is cut. */
function firstHalf(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, Math.floor(bytes.byteLength / 2));
}

/** `http.request` passes these options to the connection. Its type omits them. */
type Options = RequestOptions & Pick<TcpSocketConnectOpts, "autoSelectFamily" | "autoSelectFamilyAttemptTimeout">;

/** Keeps no connection, like the agent of each request that `agent: false` creates. */
const agentWithoutReuse = new Agent();

function open({ url, headers, timeoutMilliseconds }: Post, byteLength: number, signal: AbortSignal): ClientRequest {
  const target = new URL(url);
  const options: Options = {
    method: "POST",
    headers: { ...headers, "Content-Length": byteLength },
    // One connection for each attempt. A receiver may close a reused connection while the next payload is being sent.
    // An agent for TLS would resume sessions, and then not ask for the certificate again.
    agent: target.protocol === "https:" ? false : agentWithoutReuse,
    // Even when the environment disables the check, because the real service would not deliver there.
    rejectUnauthorized: true,
    signal,
  };
  if (isLoopbackName(target.hostname)) {
    options.lookup = lookupLoopback;
    options.autoSelectFamily = true;
    // An address without a server refuses immediately, so a slow address is the right one.
    options.autoSelectFamilyAttemptTimeout = timeoutMilliseconds;
  }
  return (target.protocol === "https:" ? requestHttps : requestHttp)(target, options);
}

function rejectOnFailure(request: ClientRequest, reject: (error: Error) => void): void {
  let answered = false;
  request.on("response", () => {
    answered = true;
  });
  request.on("error", (error) => {
    const { socket } = request;
    const isCertificateRefused = socket instanceof TLSSocket && Boolean(socket.authorizationError);
    reject(isCertificateRefused ? new BadCertificateError() : error);
  });
  // Some answers, such as a protocol upgrade, end a request without an error.
  request.on("close", () => {
    if (!answered) reject(new Error("The connection was closed without an answer."));
  });
}

const maxExcerptLength = 2_000;

/** Reads the first 2,000 characters of a body, which is UTF-8, and then closes the stream. */
async function readExcerpt(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= maxExcerptLength) break;
  }
  // The cut can be in the middle of a surrogate pair.
  return text.slice(0, maxExcerptLength).toWellFormed();
}
