import type { Agent, Dispatcher } from "undici";
import type { Clock } from "../util/clock.ts";

/** The request of an attempt. */
export interface DispatchedRequest
  extends Pick<Dispatcher.DispatchOptions, "origin" | "path" | "method" | "headersTimeout" | "bodyTimeout"> {
  readonly headers: Record<string, string>;
  readonly body?: string;
}

type AttemptHandler = Pick<
  Dispatcher.DispatchHandler,
  "onRequestStart" | "onResponseStart" | "onResponseData" | "onResponseEnd" | "onResponseError"
>;

/** The part of a dispatcher that the client uses: undici 7, which an app may have, has other types for the rest than undici 8. */
export interface ServiceDispatcher {
  /** Sends a request, and passes its answer to the handler. */
  dispatch(request: DispatchedRequest, handler: AttemptHandler): boolean;
  /** Closes the connections. */
  close(): Promise<void>;
}

/** An answer that is not parsed yet. */
export interface RawAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** `undefined` for a body that exceeded the limit. */
  readonly bytes: Buffer | undefined;
}

/** The failure of a request attempt: it ended without an answer. */
export interface RequestFailure {
  /** The error code of Node or undici; `ABORTED` or `TIMED_OUT` when the client gave up. */
  readonly failure: string;
  /** False when surely no byte of the request was sent. */
  readonly mayHaveLeft: boolean;
}

interface AttemptLimits {
  readonly clock: Clock;
  /** The time from the start of the request to the end of the answer. A slow trickle of bytes does not extend it. */
  readonly responseTimeoutSeconds: number;
  readonly signal: AbortSignal | undefined;
  readonly limitBytes: number;
}

/** Sends a request once. Never rejects, because an error of undici may contain headers, and so the API key. */
export function attemptRequest(
  dispatcher: ServiceDispatcher,
  request: DispatchedRequest,
  { clock, responseTimeoutSeconds, signal, limitBytes }: AttemptLimits,
): Promise<RawAnswer | RequestFailure> {
  const outcome = Promise.withResolvers<RawAnswer | RequestFailure>();
  const chunks: Buffer[] = [];
  let head = { status: 0, retryAfter: undefined as string | undefined };
  let size = 0;
  let controller: Dispatcher.DispatchController | undefined;
  let cancelTimeout = () => {};
  let ended = false;

  function end(result: RawAnswer | RequestFailure): void {
    ended = true;
    cancelTimeout();
    signal?.removeEventListener("abort", onAbort);
    outcome.resolve(result);
  }
  function giveUp(result: RawAnswer | RequestFailure): void {
    end(result);
    controller?.abort(new Error("The request was given up."));
  }
  const fail = (error: unknown) => end(readFailure(error, controller !== undefined));
  const onAbort = () => giveUp({ failure: "ABORTED", mayHaveLeft: controller !== undefined });
  const onTimeout = () => giveUp({ failure: "TIMED_OUT", mayHaveLeft: true });

  const handler: AttemptHandler = {
    /** The dispatcher calls this right before it writes the first byte. */
    onRequestStart(started) {
      controller = started;
      // The attempt was given up while it waited for a connection, so nothing may be sent any more.
      if (ended) return void started.abort(new Error("The request was given up."));
      cancelTimeout();
      cancelTimeout = clock.schedule(responseTimeoutSeconds * 1000, onTimeout);
    },
    onResponseStart(_, status, headers) {
      head = { status, retryAfter: [headers["retry-after"]].flat()[0] };
    },
    onResponseData(_, chunk) {
      size += chunk.length;
      if (size > limitBytes) giveUp({ ...head, bytes: undefined });
      else chunks.push(chunk);
    },
    onResponseEnd: () => end({ ...head, bytes: Buffer.concat(chunks) }),
    onResponseError: (_, error) => fail(error),
  };

  if (signal?.aborted) return Promise.resolve({ failure: "ABORTED", mayHaveLeft: false });
  signal?.addEventListener("abort", onAbort);
  try {
    // The time-out above replaces both time-outs of undici, which ignore the given clock.
    dispatcher.dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 }, handler);
  } catch (error) {
    fail(error);
  }
  return outcome.promise;
}

const connectErrors: ReadonlySet<string> = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** The errors of Node and OpenSSL for a refused certificate or a failed handshake. */
const handshakeErrors = /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$)/;

const closedErrors: ReadonlySet<string> = new Set(["UND_ERR_CLOSED", "UND_ERR_DESTROYED"]);

/** Tells whether the connection failed. A retry may then succeed. */
export function isConnectionFailure(failure: string): boolean {
  return connectErrors.has(failure) || handshakeErrors.test(failure);
}

/**
 * Reads the code of an error and drops the rest of it. A request surely did not leave if the dispatcher did not report its start and the
 * error is one of connecting. The first alone proves nothing: a dispatcher of the app may never report a start.
 */
function readFailure(error: unknown, started: boolean): RequestFailure {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const failure = typeof code === "string" && /^[A-Z0-9_]{1,80}$/.test(code) ? code : "UNKNOWN";
  return { failure, mayHaveLeft: started || !(isConnectionFailure(failure) || closedErrors.has(failure)) };
}

/**
 * Creates the client's own agent once: when it is needed, or right after the app has started, because to load its modules takes long. A
 * process that ends before is not kept alive.
 */
export function createAgent(connectTimeoutSeconds: number): () => Promise<Agent> {
  let agent: Promise<Agent> | undefined;
  async function load(): Promise<Agent> {
    const OwnAgent = await loadAgent();
    // One request at a time on a connection: a cut connection then affects that request only.
    return new OwnAgent({ connect: { timeout: connectTimeoutSeconds * 1000 }, allowH2: false });
  }
  const getAgent = () => (agent ??= load());
  // Modules that cannot be loaded fail the requests that need them.
  setImmediate(() => getAgent().catch(() => undefined)).unref();
  return getAgent;
}

/**
 * Loads the agent alone. The main module of undici 8 would make itself the dispatcher of the whole process, below
 * symbols that cannot be deleted: the `fetch` of the app would lose its proxy or its `MockAgent`.
 */
async function loadAgent(): Promise<typeof Agent> {
  try {
    // @ts-expect-error undici has types for its main module only.
    const file: { readonly default: typeof Agent } = await import("undici/lib/dispatcher/agent.js");
    return file.default;
  } catch {
    // Another release may have its files elsewhere. To reach the service matters more.
    return (await import("undici")).Agent;
  }
}
