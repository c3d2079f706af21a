import { randomBytes } from "node:crypto";
// Not the global ones, which tests with a fake clock replace.
import { performance } from "node:perf_hooks";
import { clearTimeout, setTimeout } from "node:timers";
import { isLoopbackUrl } from "../primitives/loopback.ts";
import type { AttemptError, DeliveryAttempt } from "../state/delivery.ts";
import {
  BadCertificateError,
  cutOverHttp,
  firstHalf,
  type Post,
  type PostAnswer,
  postOverHttp,
  readExcerpt,
} from "./post.ts";

/** The result of one POST. */
export type PostResult = Pick<DeliveryAttempt, "status" | "answer" | "error" | "tookMilliseconds">;

/** Sends payloads to endpoints, over HTTP or to a handler in this process. */
export interface Transport {
  /**
   * Posts once, follows no redirect and never rejects.
   *
   * The errors of the result: `not_loopback` when the URL is not on this machine and remote webhooks are not allowed;
   * `timed_out`, `unreachable`, `bad_certificate`; `handler_threw` for a handler in this process; `cut` when requested.
   */
  post(post: Post): Promise<PostResult>;
  /** Registers a handler in this process and returns its URL for `post`. */
  register(handler: FetchHandler): string;
}

/** The dependencies of a {@link Transport}. */
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
      const allowed = handler !== undefined || allowRemote || isLoopbackUrl(post.url);
      const outcome = allowed ? await attempt(post, handler, closed) : failure("not_loopback");
      return { ...outcome, tookMilliseconds: Math.round(performance.now() - startedAt) };
    },
    register(handler) {
      // Random, so that a delivery from before a restart never reaches another handler.
      const url = `in-process:${randomBytes(6).toString("hex")}`;
      handlers.set(url, handler);
      return url;
    },
  };
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
    const answer = await Promise.race([reached, send(post, handler, limit.signal)]);
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

async function send(
  post: Post,
  handler: FetchHandler | undefined,
  signal: AbortSignal,
): Promise<PostAnswer | undefined> {
  if (handler) return callHandler(handler, post, signal);
  if (!post.cut) return postOverHttp(post, signal);
  await cutOverHttp(post, signal);
  return undefined;
}

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
