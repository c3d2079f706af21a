import type { IncomingMessage, ServerResponse } from "node:http";
import type { Body, HttpRequest } from "../http/exchange.ts";
import { type NodeBodySource, readNodeBody } from "./body.ts";

/** A framework's own request, as far as core needs it. */
export interface NodeHost extends NodeBodySource {
  /** The client's address by the proxy rules that the app gave its framework. */
  readonly ip?: string | undefined;
}

/** One request and its response on a framework that stands on `node:http`. */
export interface NodeExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly host: NodeHost;
  /** Path and query: below the mount for an endpoint, the whole of them for a guard. */
  readonly url: string;
  /** Given by a framework that matched the path itself; taken from `url` otherwise. */
  readonly path?: string;
}

/** Shows a Node request to core. Nothing is parsed, built or listened to before core asks for it. */
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
    const mark = path === undefined ? url.indexOf("?") : -1;
    return path ?? (mark < 0 ? url : url.slice(0, mark));
  }

  get query(): string {
    const { url } = this.#exchange;
    const mark = url.indexOf("?");
    return mark < 0 ? "" : url.slice(mark + 1);
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

  readBody(limitBytes: number): Promise<Body> {
    return readNodeBody(this.#exchange.request, this.#exchange.host, limitBytes);
  }
}

function closedSignal(response: ServerResponse): AbortSignal {
  if (response.closed) return AbortSignal.abort();
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  return controller.signal;
}
