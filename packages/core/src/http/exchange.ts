import type { RequestHeaders } from "../util/headers.ts";

/**
 * A request, as a framework's adapter shows it to core. Members may be getters: core reads only `path` and `method` of a
 * request that is not its own.
 */
export interface HttpRequest {
  readonly method: string;
  /** The path of the mount, as the browser sees it: `/login`; empty at the root. A guard has none. */
  readonly basePath: string;
  /** The path below the mount, with its leading slash: `/start`. */
  readonly path: string;
  /** The query without its question mark; empty when there is none. */
  readonly query: string;
  readonly headers: RequestHeaders;
  /** The client's address, by the framework's own proxy rules. */
  readonly remoteAddress: string | undefined;
  /** Aborts when the connection of the response closes. */
  readonly closed: AbortSignal;
  /**
   * Reads the body, once: its exact bytes, or the value that the host has parsed from it. The bytes of all bodies that are being read are
   * bounded together: `collectBytes` does that.
   *
   * @param signal - aborts when the time for the body is over. Nothing more is read then.
   * @throws DoorcodeError `body_too_large` as soon as more than `limitBytes` have come; `server_busy` when other bodies need the memory;
   * `body_malformed` when the client hung up; `body_already_read` when the host has read the body and kept nothing of it; the reason of the
   * signal when it aborts.
   */
  readBody(limitBytes: number, signal: AbortSignal): Promise<Body>;
}

/** The body of a request: its exact bytes, or the value that a parser of the host left of them. */
export type Body = { readonly bytes: Uint8Array } | { readonly parsed: unknown };

/** An answer. The adapter appends `cookies` to those of the app and never replaces a `Set-Cookie` of the app. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Whole `Set-Cookie` values. */
  readonly cookies: readonly string[];
  /** It is sent with its length in bytes. */
  readonly body?: string;
}

/** A set of endpoints that an adapter mounts below a path of the app. */
export interface Mount<RequestContext> {
  /** The paths below the mount, for a framework that registers each one. The mount answers every method of them. */
  readonly paths: readonly string[];
  /**
   * Handles a request. Returns `undefined` for a request that is not the mount's, and has read nothing of it then.
   * Rejects with an unexpected error, which belongs to the app's error handler.
   */
  handle(request: HttpRequest, context: RequestContext): Promise<HttpResponse | undefined>;
  /** Answers the requests that wait for a change, and lets no more wait, so that the server can close. */
  close(): void;
}
