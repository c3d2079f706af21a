import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import { Readable } from "node:stream";
import { DoorcodeError } from "../util/errors.ts";
import { collectBytes, createHangUpError } from "./body.ts";
import type { Body, HttpRequest, HttpResponse } from "./exchange.ts";

/** The part of a framework's own request that core needs. */
export interface NodeHost {
  /** The client's address, by the proxy rules of the framework. */
  readonly ip?: string | undefined;
  /** The result of the host's parser: parsed members, exact bytes, or another stream to read instead of the request. */
  readonly body?: unknown;
  /** The exact bytes, if a host or a plugin keeps them beside the parsed body. */
  readonly rawBody?: unknown;
}

/** A request and its response on a framework that uses `node:http`. */
export interface NodeExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly host: NodeHost;
  /** Path and query: the part below the mount for an endpoint, the whole for a guard. */
  readonly url: string;
  /** The path that the framework matched itself. Default: the path of `url`. */
  readonly path?: string;
  /** The path of the mount, as the browser sees it. Default: none. */
  readonly basePath?: string;
}

/** Creates the request that core reads. It asks for the client's address and listens to the response only when core does. */
export function createNodeRequest({ request, response, host, url, path, basePath = "" }: NodeExchange): HttpRequest {
  const [, ownPath = "", query = ""] = /^([^?]*)\??(.*)$/s.exec(url) ?? [];
  let closed: AbortSignal | undefined;
  return {
    method: request.method ?? "",
    // Behind a wildcard route the path may begin with two slashes, and a link to it would lead to another host.
    basePath: basePath.replace(/^[/\\]+/, "/"),
    path: path ?? ownPath,
    query,
    headers: request.headers,
    get remoteAddress() {
      return host.ip;
    },
    get closed() {
      closed ??= closedSignal(response);
      return closed;
    },
    readBody(limitBytes, signal) {
      const reading = readNodeBody(request, host, limitBytes, signal);
      reading.catch(() => endStreamWithAnswer(response));
      return reading;
    },
  };
}

/** Ends a stream of HTTP/2 with its answer, although its body goes on. HTTP/1 ends the connection instead. */
function endStreamWithAnswer({ stream }: ServerResponse & Partial<Pick<Http2ServerResponse, "stream">>): void {
  stream?.once("finish", () => stream.close());
}

function closedSignal(response: ServerResponse): AbortSignal {
  if (response.closed) return AbortSignal.abort();
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  return controller.signal;
}

/** Sends an answer of core. Its cookies are added to those that the app sets before or after. */
export function sendNodeResponse(response: ServerResponse, { status, headers, cookies, body }: HttpResponse): void {
  response.statusCode = status;
  // Headers are set one by one: `writeHead` would replace the cookies that express-session adds in it.
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (cookies.length > 0) response.appendHeader("set-cookie", cookies);
  if (body !== undefined) response.setHeader("content-length", Buffer.byteLength(body));
  response.end(body);
}

/** Reads a body as {@link HttpRequest.readBody} does: its exact bytes, else the value that the host has parsed. */
export async function readNodeBody(
  request: Readable,
  { body, rawBody }: NodeHost,
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
