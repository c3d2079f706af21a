import type { HttpRequest, HttpResponse } from "./exchange.ts";
import { closeConnection, jsonResponse } from "./problem.ts";
import { type WaitDeps, type WaitEnd, waitForChange } from "./wait-for-change.ts";

/** Proxies end a request that is silent for longer than this, or somewhat more. */
const maxWaitSeconds = 25;

/** What a client does whose wait was not granted. */
const askAgainSeconds = 5;

/** An answer that was waited for must pass at once: nobody may hold it back to compress or to buffer it. */
const passAtOnce = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" } as const;

/**
 * Answers GET `/state`. With `after` and `waitSeconds` in its query, the answer waits until the state has another version. A request with a
 * body does not wait.
 *
 * Every proxy and browser knows such an answer. A stream would have to pass all of them unbuffered, and a login is under way
 * for two minutes and changes three times.
 */
export async function answerState(deps: WaitDeps, request: HttpRequest, mount: object): Promise<HttpResponse> {
  const mayWait = request.method !== "HEAD" && !hasBody(request);
  const wait = mayWait ? readWait(request.query) : undefined;
  if (!wait) return jsonResponse(200, (await deps.read()).state);
  const { state, cutShort } = await waitForChange(deps, { ...wait, mount, closed: request.closed });
  const answer = jsonResponse(200, state);
  return { ...answer, headers: { ...answer.headers, ...passAtOnce, ...(cutShort && headersOf(cutShort)) } };
}

/** Detects a body. Node keeps one that nobody reads as long as the request waits, at 200 bytes for each chunk of one byte. */
function hasBody({ headers }: HttpRequest): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0;
}

function headersOf(cutShort: NonNullable<WaitEnd["cutShort"]>): Readonly<Record<string, string>> {
  const retry = { "retry-after": String(askAgainSeconds) };
  // A connection that stays open would keep a server from closing.
  return cutShort === "closing" ? { ...retry, ...closeConnection } : retry;
}

function readWait(query: string): { readonly after: string; readonly seconds: number } | undefined {
  const members = new URLSearchParams(query);
  const after = members.get("after");
  const waitSeconds = members.get("waitSeconds");
  if (after === null || waitSeconds === null || !/^\d{1,9}$/.test(waitSeconds)) return undefined;
  return { after, seconds: Math.min(Number(waitSeconds), maxWaitSeconds) };
}
