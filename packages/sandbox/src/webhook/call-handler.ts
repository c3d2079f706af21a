import { createExcerpt, firstHalf, type Post, type PostAnswer } from "./post.ts";

/** A webhook endpoint in this process. */
export type FetchHandler = (request: Request) => Response | Promise<Response>;

/**
 * Passes a POST to a handler in this process. With `cut`, reading the body fails half-way. Rejects with the error of the
 * handler.
 */
export async function callHandler(handler: FetchHandler, post: Post, signal: AbortSignal): Promise<PostAnswer> {
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
