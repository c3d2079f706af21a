import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { HttpRequest, HttpResponse } from "../http/exchange.ts";
import { type NodeBodySource, readNodeBody } from "./body.ts";

/** The part of a framework's own request that core needs. */
export interface NodeHost extends NodeBodySource {
  /** The client's address, by the proxy rules of the framework. */
  readonly ip?: string | undefined;
}

/** A request and its response on a framework that uses `node:http`. */
export interface NodeExchange {
  /** The request of Node. */
  readonly request: IncomingMessage;
  /** The response of Node. */
  readonly response: ServerResponse;
  /** The framework's own request. */
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
    basePath,
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
