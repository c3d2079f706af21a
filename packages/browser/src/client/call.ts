import { isRecord, type LoginAction, type LoginProblem, readProblem } from "./problem.ts";

/** The body of an answer, and the seconds of its `Retry-After`. */
export interface Reply {
  readonly body: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;
}

/** A request below the mount. */
export interface Call {
  readonly action: LoginAction;
  readonly url: string;
  /** The members of a POST; a GET without them. */
  readonly members?: object;
  readonly signal: AbortSignal;
}

/** A little more than the slowest answer of the kit takes, and the longest wait. */
const timeoutMilliseconds = 30_000;

/** Sends a request and reads its answer. Never throws: each failure is a problem with a code. */
export async function call(
  send: typeof fetch,
  { action, url, members, signal }: Call,
): Promise<Reply | { readonly problem: LoginProblem }> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMilliseconds);
  const abort = () => timeout.abort();
  signal.addEventListener("abort", abort);
  try {
    signal.throwIfAborted();
    const response = await send(url, {
      ...(members && {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(members),
      }),
      signal: timeout.signal,
    });
    const body: unknown = JSON.parse(await response.text());
    // What answers in place of the kit, such as the page of a hotel's network, may be JSON too.
    const isAnswer = response.ok && isRecord(body) && ("version" in body || "countries" in body);
    if (!isAnswer) return { problem: readProblem(action, response.status, body, Date.now()) };
    return { body, retryAfterSeconds: Number(response.headers.get("retry-after")) || undefined };
  } catch (error) {
    if (signal.aborted) return { problem: { code: "aborted", action } };
    return { problem: { code: error instanceof SyntaxError ? "answer_unreadable" : "network_failed", action } };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
