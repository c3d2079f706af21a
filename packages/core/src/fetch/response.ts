import type { HttpResponse } from "../http/exchange.ts";

/** Creates the `Response` of an answer of core. `headers` holds the headers that the app's own sessions have set. */
export function createFetchResponse(answer: HttpResponse, { method }: Request, headers: Headers): Response {
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, value);
  for (const cookie of answer.cookies) headers.append("set-cookie", cookie);
  return new Response(method === "HEAD" ? null : fetchBody(answer.body), { status: answer.status, headers });
}

function fetchBody(body: HttpResponse["body"]): string | ReadableStream<Uint8Array> | null {
  if (typeof body !== "object") return body ?? null;
  const chunks = body[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    // Not awaited: a generator that waits for its next chunk does not return before that chunk.
    cancel: () => void chunks.return?.(),
  });
}
