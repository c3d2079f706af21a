import { Readable } from "node:stream";
import { collectBytes, createHangUpError } from "../http/body.ts";
import type { Body } from "../http/exchange.ts";
import { DoorcodeError } from "../util/errors.ts";

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
 * @param signal - ends the reading with its reason.
 * @throws DoorcodeError `body_too_large` as soon as more than `limitBytes` have come; `server_busy` if other bodies need the memory;
 * `body_malformed` if the client hung up; `body_already_read` if the body was read and the host kept nothing of it
 */
export async function readNodeBody(
  request: Readable,
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
  const isRead = stream.readableDidRead || stream.readableEnded || stream.destroyed;
  if (!isRead) return readBytes(stream, limitBytes, signal);
  if (body !== undefined && body !== stream) return { parsed: body };
  // The stream closed before it was read: the client hung up, and no parser of the app has read the body.
  const hungUp = stream.readableAborted && !stream.readableDidRead;
  throw hungUp ? createHangUpError() : new DoorcodeError("body_already_read");
}

function readBytes(stream: Readable, limitBytes: number, signal: AbortSignal): Promise<Body> {
  return new Promise((resolve, reject) => {
    const collected = collectBytes(limitBytes, giveUp);
    stream.on("data", take).on("end", finish).on("error", fail).on("close", fail);
    signal.addEventListener("abort", endTime);
    if (signal.aborted) endTime();

    function take(chunk: Uint8Array | string): void {
      collected.add(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    }

    function giveUp(reason: unknown): void {
      release();
      // A decompressing stream may still fail. Without a listener that error would end the process.
      stream.on("error", () => {});
      // Nothing more is read; the connection ends with the answer.
      stream.pause();
      reject(reason);
    }

    function endTime(): void {
      giveUp(signal.reason);
    }

    function finish(): void {
      const bytes = collected.bytes();
      release();
      resolve({ bytes });
    }

    function fail(): void {
      release();
      reject(createHangUpError());
    }

    function release(): void {
      collected.release();
      signal.removeEventListener("abort", endTime);
      stream.off("data", take).off("end", finish).off("error", fail).off("close", fail);
    }
  });
}
