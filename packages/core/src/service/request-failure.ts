/** The failure of a request attempt: it ended without an answer. */
export interface RequestFailure {
  /** The error code of Node or undici; `ABORTED` or `TIMED_OUT` when the client gave up. */
  readonly failure: string;
  /** False when surely no byte of the request was sent. */
  readonly mayHaveLeft: boolean;
}

/** The errors of a connection that was never established. */
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

/** The errors of a dispatcher that was closed. */
const closedErrors: ReadonlySet<string> = new Set(["UND_ERR_CLOSED", "UND_ERR_DESTROYED"]);

/**
 * Reads the code of an error and drops the rest of it.
 *
 * A request surely did not leave only if two things hold: the dispatcher did not report its start, and the error is a
 * connection error. The first alone does not prove it, because a dispatcher of the app may never report a start.
 */
export function readRequestFailure(error: unknown, started: boolean): RequestFailure {
  const failure = codeOf(error);
  return { failure, mayHaveLeft: started || !(isConnectionFailure(failure) || closedErrors.has(failure)) };
}

/** Tells whether the connection failed. A retry may then succeed. */
export function isConnectionFailure(failure: string): boolean {
  return connectErrors.has(failure) || handshakeErrors.test(failure);
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[A-Z0-9_]{1,80}$/.test(code) ? code : "UNKNOWN";
}
