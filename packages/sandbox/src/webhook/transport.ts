import { randomBytes } from "node:crypto";
// Not the global ones, which tests with a fake clock replace.
import { performance } from "node:perf_hooks";
import { clearTimeout, setTimeout } from "node:timers";
import { isLoopbackUrl } from "../primitives/loopback.ts";
import type { AttemptError, DeliveryAttempt } from "../state/delivery.ts";
import { callHandler, type FetchHandler } from "./call-handler.ts";
import { BadCertificateError, cutOverHttp, type Post, type PostAnswer, postOverHttp } from "./post.ts";

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
export interface TransportDeps {
  /** Ends posts in progress, with the error `unreachable`. */
  readonly closed: AbortSignal;
  /** Whether posts may go to other machines. */
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
  /** Aborts at the limit. */
  readonly signal: AbortSignal;
  /** Rejects at the limit. */
  readonly reached: Promise<never>;
  /** Tells whether the time is over. */
  isTimeOver(): boolean;
  /** Ends the limit, so that it keeps nothing of a finished attempt. */
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
