import type { AttemptError } from "../state/delivery.ts";
import { isLoopbackUrl } from "./loopback.ts";

/** What answers a request: a webhook endpoint in the same process, or `fetch` for one that is not. */
export type FetchHandler = (request: Request) => Response | Promise<Response>;

/** What an endpoint made of one POST. */
export interface Answer {
  readonly status: number | undefined;
  /** The beginning of the body. */
  readonly answer: string;
  readonly error: AttemptError | undefined;
}

/** One POST to be made. */
export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** On the wall clock. */
  readonly limitMilliseconds: number;
}

/** How payloads leave the sandbox. */
export interface Transport {
  /** Posts once, to this machine only, follows no redirect and never rejects. */
  post(post: Post): Promise<Answer>;
  /** Gives a handler in this process a URL that `post` understands. */
  register(handler: FetchHandler): string;
}

const answerLimit = 2_000;

/** Creates a transport. `closed` ends what is under way. */
export function createTransport(closed: AbortSignal): Transport {
  const handlers = new Map<string, FetchHandler>();

  return {
    async post(post) {
      const handler = handlers.get(post.url);
      if (!handler && !isLoopbackUrl(post.url)) return unanswered("not_loopback");
      const limit = AbortSignal.timeout(post.limitMilliseconds);
      const signal = AbortSignal.any([limit, closed]);
      try {
        signal.throwIfAborted();
        // A handler need not look at its request's signal.
        return await Promise.race([answerOf(handler ?? fetch, post, signal), aborted(signal)]);
      } catch {
        if (limit.aborted) return unanswered("timed_out");
        return unanswered(handler ? "handler_threw" : "unreachable");
      }
    },
    register(handler) {
      const url = `in-process:${handlers.size + 1}`;
      handlers.set(url, handler);
      return url;
    },
  };
}

async function answerOf(send: FetchHandler, { url, headers, body }: Post, signal: AbortSignal): Promise<Answer> {
  const request = new Request(send === fetch ? url : "http://localhost/webhooks", {
    method: "POST",
    // A connection per attempt: one kept open can be closed by the receiver just as the next payload leaves.
    headers: { ...headers, connection: "close" },
    body,
    redirect: "manual",
    signal,
  });
  const response = await send(request);
  return { status: response.status, answer: await beginningOf(response.body ?? []), error: undefined };
}

async function beginningOf(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= answerLimit) break;
  }
  return text.slice(0, answerLimit);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function unanswered(error: AttemptError): Answer {
  return { status: undefined, answer: "", error };
}
