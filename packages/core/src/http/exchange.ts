import type { ErrorCode } from "../errors.ts";

/**
 * A request as core sees it. Members may be getters: a route that is not ours touches `path` and `method` only, and
 * nothing is built or read before it is asked for.
 */
export interface HttpRequest {
  readonly method: string;
  /** Below the mount, beginning with a slash: `/start`. */
  readonly path: string;
  /** Without the question mark; empty when there is none. */
  readonly query: string;
  /** Names in lower case, as Node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** By the host framework's own proxy rules. */
  readonly remoteAddress: string | undefined;
  /** Aborts when the connection of the response closes. */
  readonly closed: AbortSignal;
  /**
   * Reads the body, once: its exact bytes, or what the host made of them when it read the body before.
   *
   * @throws DoorcodeError `body_too_large` as soon as more than `limitBytes` have come; `body_already_read` when the
   * body is gone and nothing is left of it.
   */
  readBody(limitBytes: number): Promise<Body>;
}

/** The body of a request: `bytes` are exact, `parsed` is what a parser of the host left of them. */
export type Body = { readonly bytes: Uint8Array } | { readonly parsed: unknown };

/** An answer. The adapter appends `cookies` to what the app set, and never replaces a `Set-Cookie` of the app. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Whole `Set-Cookie` values. */
  readonly cookies: readonly string[];
  /** Text is sent with its length in bytes; an iterable is streamed until it ends or the connection closes. */
  readonly body?: string | AsyncIterable<string>;
  /** The code of a refusal, for an adapter that wants to log it. */
  readonly code?: ErrorCode;
}

/** A set of endpoints that an adapter hangs below a path of the app. */
export interface Mount<Native> {
  /** The paths below the mount, for frameworks that register each one; every method of them belongs to the mount. */
  readonly paths: readonly string[];
  /** Answers, or `undefined` for a request that is not ours, of which nothing was read. Rejects on a fault. */
  handle(request: HttpRequest, native: Native): Promise<HttpResponse | undefined>;
  /** Ends open event streams, so that the server can close. */
  close(): void;
}
