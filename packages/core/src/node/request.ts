import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { Body, BodyTime, HttpRequest } from "../http/exchange.ts";
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
}

/** Creates the request that core reads. Nothing is parsed, built or listened to before core reads it. */
export function createNodeRequest(exchange: NodeExchange): HttpRequest {
  return new NodeRequest(exchange);
}

class NodeRequest implements HttpRequest {
  readonly #exchange: NodeExchange;
  #closed: AbortSignal | undefined;

  constructor(exchange: NodeExchange) {
    this.#exchange = exchange;
  }

  get method(): string {
    return this.#exchange.request.method ?? "";
  }

  get path(): string {
    const { url, path } = this.#exchange;
    const queryStart = path === undefined ? url.indexOf("?") : -1;
    return path ?? (queryStart < 0 ? url : url.slice(0, queryStart));
  }

  get query(): string {
    const { url } = this.#exchange;
    const queryStart = url.indexOf("?");
    return queryStart < 0 ? "" : url.slice(queryStart + 1);
  }

  get headers(): HttpRequest["headers"] {
    return this.#exchange.request.headers;
  }

  get remoteAddress(): string | undefined {
    return this.#exchange.host.ip;
  }

  get closed(): AbortSignal {
    this.#closed ??= closedSignal(this.#exchange.response);
    return this.#closed;
  }

  readBody(limitBytes: number, time: BodyTime): Promise<Body> {
    const { request, response, host } = this.#exchange;
    const reading = readNodeBody(request, host, limitBytes, time);
    reading.catch(() => endStreamWithAnswer(response));
    return reading;
  }
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
