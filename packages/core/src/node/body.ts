import { Readable } from "node:stream";
import { cutShort } from "../http/cut-short.ts";
import type { Body } from "../http/exchange.ts";
import { DoorcodeError } from "../primitives/errors.ts";

/** Where a host keeps the body of a request. */
export interface NodeBodySource {
  /** What a parser of the host left: parsed members, exact bytes, or another stream to read in place of the request. */
  readonly body?: unknown;
  /** The exact bytes, where a host or a plugin keeps them beside the parsed body. */
  readonly rawBody?: unknown;
}

/**
 * Reads a body once: its exact bytes if they can still be had, else what a parser of the host made of them.
 *
 * @throws DoorcodeError `body_too_large` as soon as more than `limitBytes` have come; `body_malformed` when the client
 * hung up; `body_already_read` when the body is gone and nothing is left of it
 */
export async function readNodeBody(
  request: Readable,
  { body, rawBody }: NodeBodySource,
  limitBytes: number,
): Promise<Body> {
  const kept = [rawBody, body].find((value) => value instanceof Uint8Array);
  if (kept) {
    if (kept.byteLength > limitBytes) throw new DoorcodeError("body_too_large");
    return { bytes: kept };
  }
  const stream = body instanceof Readable ? body : request;
  const isRead = stream.readableDidRead || stream.readableEnded || stream.destroyed;
  if (!isRead) return { bytes: await readBytes(stream, limitBytes) };
  if (body !== undefined && body !== stream) return { parsed: body };
  // Closed before anybody read it: the client is gone, and no parser of the app is to blame.
  if (stream.readableAborted && !stream.readableDidRead) throw cutShort();
  throw new DoorcodeError("body_already_read");
}

function readBytes(stream: Readable, limitBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    stream.on("data", take).on("end", finish).on("error", giveUp).on("close", giveUp);

    function take(chunk: Uint8Array | string): void {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      length += bytes.byteLength;
      chunks.push(bytes);
      if (length <= limitBytes) return;
      release();
      // A stream that unpacks may still fail; with nobody listening, that would end the process.
      stream.on("error", () => {});
      // Nothing more is taken from the wire; the connection ends with the answer.
      stream.pause();
      reject(new DoorcodeError("body_too_large"));
    }

    function finish(): void {
      release();
      const [only] = chunks;
      resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks, length));
    }

    function giveUp(): void {
      release();
      reject(cutShort());
    }

    function release(): void {
      stream.off("data", take).off("end", finish).off("error", giveUp).off("close", giveUp);
    }
  });
}
