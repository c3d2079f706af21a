import type { Body, HttpRequest } from "../http/exchange.ts";
import { readFetchBody } from "./body.ts";

/** What the `Request` itself does not say, or not as core wants it. */
export interface FetchAround {
  /** Below the mount; the whole path when left out. */
  readonly path?: string;
  readonly remoteAddress?: string | undefined;
}

/** Shows a `Request` to core. Headers are copied when core first asks for one. */
export function createFetchRequest(request: Request, around: FetchAround = {}): HttpRequest {
  return new FetchRequest(request, around);
}

class FetchRequest implements HttpRequest {
  readonly #request: Request;
  readonly #around: FetchAround;
  #headers: HttpRequest["headers"] | undefined;

  constructor(request: Request, around: FetchAround) {
    this.#request = request;
    this.#around = around;
  }

  get method(): string {
    return this.#request.method;
  }

  get path(): string {
    return this.#around.path ?? new URL(this.#request.url).pathname;
  }

  get query(): string {
    return new URL(this.#request.url).search.slice(1);
  }

  get headers(): HttpRequest["headers"] {
    this.#headers ??= Object.fromEntries(this.#request.headers);
    return this.#headers;
  }

  get remoteAddress(): string | undefined {
    return this.#around.remoteAddress;
  }

  get closed(): AbortSignal {
    return this.#request.signal;
  }

  readBody(limitBytes: number): Promise<Body> {
    return readFetchBody(this.#request, limitBytes);
  }
}
