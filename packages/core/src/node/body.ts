import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { type Body, createHangUpError } from "../http/exchange.ts";
import { afterTurn } from "../primitives/clock.ts";
import { DoorcodeError } from "../primitives/errors.ts";

/** The members in which a host keeps the body of a request. */
export interface NodeBodySource {
  /** The result of the host's parser: parsed members, exact bytes, or another stream to read instead of the request. */
  readonly body?: unknown;
  /** The exact bytes, if a host or a plugin keeps them beside the parsed body. */
  readonly rawBody?: unknown;
}

/**
 * Reads a body once: its exact bytes if they are still available, else the value that the host has parsed.
 *
 * @throws DoorcodeError `body_too_large` as soon as more than `limitBytes` have come; `body_malformed` if the client
 * hung up; `body_already_read` if the body was read and the host kept nothing of it; the signal's reason if it aborts first
 */
export async function readNodeBody(
  request: IncomingMessage,
  { body, rawBody }: NodeBodySource,
  limitBytes: number,
  signal: AbortSignal,
): Promise<Body> {
  const kept = rawBody instanceof Uint8Array ? rawBody : body;
  if (kept instanceof Uint8Array) {
    if (kept.byteLength > limitBytes) throw new DoorcodeError("body_too_large");
    return { bytes: kept };
  }
  const stream = body instanceof Readable ? body : request;
  // Somebody else who listens gets the bytes in this turn: then core must listen at once, too.
  if (stream === request && isUntouched(request)) {
    // Node hands over what has come with the head once the listener of the request has returned.
    await undefined;
    if (isUntouched(request) && hasWholeBody(request)) return { bytes: readAtOnce(request, limitBytes) };
  }
  const isRead = stream.readableDidRead || stream.readableEnded || stream.destroyed;
  if (!isRead) return { bytes: await readBytes(stream, limitBytes, signal) };
  if (body !== undefined && body !== stream) return { parsed: body };
  // The stream closed before it was read: the client hung up, and no parser of the app has read the body.
  if (stream.readableAborted && !stream.readableDidRead) throw createHangUpError();
  throw new DoorcodeError("body_already_read");
}

function isUntouched({ readableFlowing, readableEncoding }: Readable): boolean {
  return readableFlowing === null && readableEncoding === null;
}

/** Tells whether all announced bytes have come: most bodies arrive with the head. To read them needs no listener. */
function hasWholeBody({ headers, readableLength }: IncomingMessage): boolean {
  return readableLength > 0 && readableLength === Number(headers["content-length"]);
}

function readAtOnce(request: IncomingMessage, limitBytes: number): Uint8Array {
  if (request.readableLength > limitBytes) throw new DoorcodeError("body_too_large");
  return request.read();
}

function readBytes(stream: Readable, limitBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    stream.on("data", take).on("end", finish).on("error", fail).on("close", fail);
    // A small body has come before the turn is over, and listening to a signal costs more than reading it.
    let stopListening = afterTurn(() => {
      if (signal.aborted) return stop();
      signal.addEventListener("abort", stop);
      stopListening = () => signal.removeEventListener("abort", stop);
    });

    function take(chunk: Uint8Array | string): void {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      length += bytes.byteLength;
      chunks.push(bytes);
      if (length > limitBytes) giveUp(new DoorcodeError("body_too_large"));
    }

    function stop(): void {
      giveUp(signal.reason);
    }

    function giveUp(reason: unknown): void {
      release();
      // A decompressing stream may still fail. Without a listener that error would end the process.
      stream.on("error", () => {});
      // Nothing more is read; the connection ends with the answer.
      stream.pause();
      reject(reason);
    }

    function finish(): void {
      release();
      const [only] = chunks;
      resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks, length));
    }

    function fail(): void {
      release();
      reject(createHangUpError());
    }

    function release(): void {
      stream.off("data", take).off("end", finish).off("error", fail).off("close", fail);
      stopListening();
    }
  });
}
