import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import { clearTimeout, setTimeout } from "node:timers";
import { isLoopbackUrl } from "../primitives/loopback.ts";
import type { AttemptError, DeliveryAttempt } from "../state/delivery.ts";
import {
  BadCertificateError,
  createExcerpt,
  cutOverHttp,
  firstHalf,
  type Post,
  type PostAnswer,
  postOverHttp,
} from "./post.ts";

// Not the global ones, which tests with a fake clock replace.

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
  const limit = createTimeLimit(post.timeoutMilliseconds, closed);
  try {
    limit.signal.throwIfAborted();
    // The limit comes first: a handler may ignore the signal of its request, and may itself close the sandbox.
    const answer = await Promise.race([limit.reached, send(post, handler, limit.signal)]);
    return post.cut || !answer ? failure("cut") : { ...answer, error: undefined };
  } catch (error) {
    if (limit.isTimeOver()) return failure("timed_out");
    if (closed.aborted) return failure("unreachable");
    if (handler) return failure(post.cut ? "cut" : "handler_threw");
    return failure(error instanceof BadCertificateError ? "bad_certificate" : "unreachable");
  } finally {
    limit.end();
  }
}

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

/** The end of an attempt without an answer: its time is over, or the sandbox closes. */
interface TimeLimit {
  readonly signal: AbortSignal;
  readonly reached: Promise<never>;
  isTimeOver(): boolean;
  end(): void;
}

/** Begins the time of an attempt. A finished attempt ends it: otherwise the timer would keep its request for five seconds. */
function createTimeLimit(milliseconds: number, closed: AbortSignal): TimeLimit {
  const controller = new AbortController();
  const { promise: reached, reject } = Promise.withResolvers<never>();
  let isOver = false;
  const abort = () => {
    controller.abort();
    reject(controller.signal.reason);
  };
  const timer = setTimeout(() => {
    isOver = true;
    abort();
  }, milliseconds).unref();
  closed.addEventListener("abort", abort, { once: true });
  if (closed.aborted) abort();
  // An attempt that is refused before it starts does not wait for it.
  reached.catch(() => undefined);
  return {
    signal: controller.signal,
    reached,
    isTimeOver: () => isOver,
    end() {
      clearTimeout(timer);
      closed.removeEventListener("abort", abort);
    },
  };
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
  };
  const response = await handler(new DeliveryRequest(init, signal));
  return { status: response.status, answer: response.body ? await readExcerpt(response.body) : "" };
}

/**
 * The request of a delivery, with the signal of its time limit.
 *
 * A Request that is constructed with a signal follows it with a weak reference, which keeps all of the request until a full garbage
 * collection: half of the heap of a sandbox that delivers much.
 */
class DeliveryRequest extends Request {
  readonly #signal: AbortSignal;

  constructor(init: RequestInit, signal: AbortSignal) {
    super("http://localhost/webhooks", init);
    this.#signal = signal;
  }

  override get signal(): AbortSignal {
    return this.#signal;
  }

  override clone(): Request {
    return new Request(super.clone(), { signal: this.#signal });
  }
}

/** Reads an excerpt and then closes the stream. */
async function readExcerpt(body: AsyncIterable<Uint8Array>): Promise<string> {
  const excerpt = createExcerpt();
  for await (const chunk of body) if (excerpt.add(chunk)) break;
  return excerpt.text();
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
