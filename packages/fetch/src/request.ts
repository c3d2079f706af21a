import { type Body, collectBytes, createHangUpError, DoorcodeError, type HttpRequest } from "@doorcode/core/adapter";

/** The headers of a request: all that a framework shows to a page that it renders, or a whole `Request`. */
export interface FetchHeaders {
  readonly headers: Headers;
}

/** The URL of a request of which only the headers are known. Its host is nobody's, so it cannot pass for this machine. */
const unknownUrl = "http://host.invalid/";

/** Returns a request that has these headers. */
export function requestOf(source: Request | FetchHeaders): Request {
  // Frameworks have classes of their own for headers, of which `Request` only takes the entries.
  return "url" in source ? source : new Request(unknownUrl, { headers: [...source.headers] });
}

/** Facts about a request that its `Request` does not have in the form that core needs. */
export interface FetchRequestFacts {
  /** The path of the mount. Default: none. */
  readonly basePath?: string;
  /** The path below the mount. Default: the whole path. */
  readonly path?: string;
  /** The client's address. */
  readonly remoteAddress?: string | undefined;
}

/** Creates the request that core reads. Its headers are copied when core first reads them. */
export function createFetchRequest(
  request: Request,
  { basePath = "", path, remoteAddress }: FetchRequestFacts = {},
): HttpRequest {
  const { host, pathname, search } = new URL(request.url);
  let headers: HttpRequest["headers"] | undefined;
  return {
    method: request.method,
    basePath,
    path: path ?? pathname,
    query: search.slice(1),
    get headers() {
      // The URL of a `Request` has the host, whether the host of the app lists that header or not.
      headers ??= { host, ...Object.fromEntries(request.headers) };
      return headers;
    },
    remoteAddress,
    get closed() {
      return request.signal;
    },
    readBody: (limitBytes, signal) => readFetchBody(request, limitBytes, signal),
  };
}

/**
 * Reads the exact bytes of a body once, as `HttpRequest.readBody` promises.
 *
 * @throws DoorcodeError `body_too_large` as soon as more than `limitBytes` have come; `server_busy` if other bodies need the memory;
 * `body_malformed` if the client hung up; `body_already_read` if the app has read the body before; the reason of the signal when it aborts
 */
export async function readFetchBody(request: Request, limitBytes: number, signal: AbortSignal): Promise<Body> {
  if (request.bodyUsed || request.body?.locked) throw new DoorcodeError("body_already_read");
  if (!request.body) return { bytes: new Uint8Array() };
  const reader = request.body.getReader();
  const collected = collectBytes(limitBytes, giveUp);
  let refusal: Error | undefined;
  const endTime = () => giveUp(signal.reason);
  signal.addEventListener("abort", endTime);
  if (signal.aborted) endTime();

  function giveUp(error: Error): void {
    collected.release();
    refusal = error;
    reader.cancel(error).catch(() => undefined);
  }

  /** A separate function: while a loop waits for the next chunk, it would keep the last one in memory. */
  async function readChunk(): Promise<boolean> {
    const { done, value } = await reader.read();
    if (value && !refusal) collected.add(value);
    return !done;
  }

  try {
    while (await readChunk());
    // A cancelled body looks like one that has ended.
    if (!refusal) return { bytes: collected.bytes() };
  } catch {
    refusal ??= createHangUpError();
  } finally {
    collected.release();
    signal.removeEventListener("abort", endTime);
  }
  throw refusal;
}
