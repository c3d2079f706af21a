import { firstHalf, type Post, type Reply } from "./post.ts";
import { readBeginning } from "./read-beginning.ts";

/** What answers a request: a webhook endpoint in the same process. */
export type FetchHandler = (request: Request) => Response | Promise<Response>;

/** Hands a POST to a handler in this process; `cut` gives it a body that errors half-way. Rejects as the handler does. */
export async function callHandler(handler: FetchHandler, post: Post, signal: AbortSignal): Promise<Reply> {
  const bytes = new TextEncoder().encode(post.body);
  // The type of the web platform's library has no `duplex`, which a body that is a stream demands.
  const init: RequestInit & { readonly duplex: "half" } = {
    method: "POST",
    headers: { ...post.headers, connection: "close" },
    body: post.cut ? cutBody(bytes) : bytes,
    duplex: "half",
    signal,
  };
  const response = await handler(new Request("http://localhost/webhooks", init));
  return { status: response.status, answer: response.body ? await readBeginning(response.body) : "" };
}

function cutBody(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const chunks = [firstHalf(bytes)];
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const chunk = chunks.pop();
    if (chunk) controller.enqueue(chunk);
    else controller.error(new TypeError("The connection was cut."));
  };
  // Nothing is fetched in advance: an error would drop what is queued.
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}
