import { type Body, type BodyTime, createHangUpError } from "../http/exchange.ts";
import { DoorcodeError } from "../primitives/errors.ts";

/**
 * Reads the exact bytes of a body, once.
 *
 * @throws DoorcodeError `body_too_large` as soon as more than `limitBytes` have come; `body_malformed` if the client
 * hung up; `body_already_read` if the app has read the body before; the error of the time if that is over first
 */
export async function readFetchBody(request: Request, limitBytes: number, time: BodyTime): Promise<Body> {
  if (request.bodyUsed || request.body?.locked) throw new DoorcodeError("body_already_read");
  if (!request.body) return { bytes: new Uint8Array() };
  const reader = request.body.getReader();
  let tooSlow: Error | undefined;
  time.whenOver((error) => {
    tooSlow = error;
    reader.cancel(error).catch(() => undefined);
  });
  const bytes = await readBytes(reader, limitBytes);
  // A cancelled body looks like one that has ended.
  if (tooSlow) throw tooSlow;
  return { bytes };
}

async function readBytes(reader: ReadableStreamDefaultReader<Uint8Array>, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw createHangUpError();
    });
    if (done) return Buffer.concat(chunks, length);
    length += value.byteLength;
    chunks.push(value);
    if (length <= limitBytes) continue;
    await reader.cancel().catch(() => undefined);
    throw new DoorcodeError("body_too_large");
  }
}
