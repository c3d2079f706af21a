import { type Body, createHangUpError } from "../http/exchange.ts";
import { DoorcodeError } from "../primitives/errors.ts";

/**
 * Reads the exact bytes of a body, once.
 *
 * @throws DoorcodeError `body_too_large` as soon as more than `limitBytes` have come; `body_malformed` if the client
 * hung up; `body_already_read` if the app has read the body before
 */
export async function readFetchBody(request: Request, limitBytes: number): Promise<Body> {
  if (request.bodyUsed || request.body?.locked) throw new DoorcodeError("body_already_read");
  if (!request.body) return { bytes: new Uint8Array() };
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of untilHangUp(request.body)) {
    length += chunk.byteLength;
    // Leaving the loop cancels the body.
    if (length > limitBytes) throw new DoorcodeError("body_too_large");
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks, length) };
}

async function* untilHangUp(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
  } catch {
    throw createHangUpError();
  }
}
