import { randomBytes } from "node:crypto";
// Not the global one, which tests that fake time replace.
import { performance } from "node:perf_hooks";
import type { AttemptError } from "../state/delivery.ts";
import { callHandler, type FetchHandler } from "./call-handler.ts";
import { isLoopbackUrl } from "./loopback.ts";
import { BadCertificateError, cutOverHttp, type Post, postOverHttp, type Reply } from "./post.ts";

export type { FetchHandler, Post };

/** What an endpoint made of one POST. */
export interface Answer {
  readonly status: number | undefined;
  /** The beginning of the body. */
  readonly answer: string;
  readonly error: AttemptError | undefined;
  /** On the wall clock. */
  readonly tookMilliseconds: number;
}

/** How payloads leave the sandbox. */
export interface Transport {
  /**
   * Posts once, follows no redirect and never rejects.
   *
   * Errors of the answer: `not_loopback` when the URL leads away from this machine and that is not allowed; `timed_out`,
   * `unreachable`, `bad_certificate`; `handler_threw` for a handler in this process; `cut` when that was asked for.
   */
  post(post: Post): Promise<Answer>;
  /** Gives a handler in this process a URL that `post` understands. */
  register(handler: FetchHandler): string;
}

/** What a transport works with. */
export interface TransportParts {
  /** Ends what is under way, as `unreachable`. */
  readonly closed: AbortSignal;
  /** Whether other machines are reached too. */
  readonly allowRemote: boolean;
}

/** Creates a transport. Unless `allowRemote`, nothing leaves this machine, not even a question for a host's address. */
export function createTransport({ closed, allowRemote }: TransportParts): Transport {
  const handlers = new Map<string, FetchHandler>();

  return {
    async post(post) {
      const startedAt = performance.now();
      const handler = handlers.get(post.url);
      const reachable = handler !== undefined || allowRemote || isLoopbackUrl(post.url);
      const outcome = reachable ? await attempt(post, handler, closed) : unanswered("not_loopback");
      return { ...outcome, tookMilliseconds: Math.round(performance.now() - startedAt) };
    },
    register(handler) {
      // Never the same after a restart: a delivery of before must not find another handler.
      const url = `in-process:${randomBytes(6).toString("hex")}`;
      handlers.set(url, handler);
      return url;
    },
  };
}

type Outcome = Omit<Answer, "tookMilliseconds">;

async function attempt(post: Post, handler: FetchHandler | undefined, closed: AbortSignal): Promise<Outcome> {
  const limit = AbortSignal.timeout(post.limitMilliseconds);
  const signal = AbortSignal.any([limit, closed]);
  try {
    signal.throwIfAborted();
    // A handler need not look at its request's signal, and can be what closes the sandbox: so the signal is heard first.
    const reply = await Promise.race([aborted(signal), send(post, handler, signal)]);
    return post.cut || !reply ? unanswered("cut") : { ...reply, error: undefined };
  } catch (error) {
    if (limit.aborted) return unanswered("timed_out");
    if (closed.aborted) return unanswered("unreachable");
    if (handler) return unanswered(post.cut ? "cut" : "handler_threw");
    return unanswered(error instanceof BadCertificateError ? "bad_certificate" : "unreachable");
  }
}

async function send(post: Post, handler: FetchHandler | undefined, signal: AbortSignal): Promise<Reply | undefined> {
  if (handler) return callHandler(handler, post, signal);
  if (!post.cut) return postOverHttp(post, signal);
  await cutOverHttp(post, signal);
  return undefined;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function unanswered(error: AttemptError): Outcome {
  return { status: undefined, answer: "", error };
}
