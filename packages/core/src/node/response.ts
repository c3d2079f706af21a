import type { ServerResponse } from "node:http";
import type { HttpResponse } from "../http/exchange.ts";

/**
 * Sends an answer of core. Its cookies are added to those that the app sets before or after.
 *
 * Resolves when the whole answer is passed to the connection. A body that is not streamed is passed at once. Rejects if
 * the source of a stream fails.
 */
export async function sendNodeResponse(response: ServerResponse, answer: HttpResponse): Promise<void> {
  const { status, headers, cookies, body } = answer;
  response.statusCode = status;
  // Headers are set one by one: `writeHead` would replace the cookies that express-session adds in it.
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (cookies.length > 0) response.appendHeader("set-cookie", cookies);
  if (typeof body === "object") return stream(response, body);
  if (body !== undefined) response.setHeader("content-length", Buffer.byteLength(body));
  response.end(body);
}

async function stream(response: ServerResponse, chunks: AsyncIterable<string>): Promise<void> {
  response.flushHeaders();
  try {
    if (response.req.method !== "HEAD") await writeAll(response, chunks);
  } catch (error) {
    // A normal end would make the client take the part for the whole.
    response.destroy();
    throw error;
  }
  response.end();
}

async function writeAll(response: ServerResponse, chunks: AsyncIterable<string>): Promise<void> {
  for await (const chunk of chunks) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await drained(response);
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.on("drain", done).on("close", done);

    function done(): void {
      response.off("drain", done).off("close", done);
      resolve();
    }
  });
}
