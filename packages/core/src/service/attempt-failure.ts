/** An attempt without an answer. */
export interface AttemptFailure {
  /** The code that Node or undici gave it; `ABORTED` or `TIMED_OUT` when this side gave up. */
  readonly failure: string;
  /** False when surely not a byte of the request has left. */
  readonly mayHaveLeft: boolean;
}

/** No address, nobody there, no way, or no end of waiting: the connection never stood. */
const connecting: ReadonlySet<string> = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** How Node and OpenSSL call a certificate or a handshake that is refused. */
const handshake = /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$)/;

const closed: ReadonlySet<string> = new Set(["UND_ERR_CLOSED", "UND_ERR_DESTROYED"]);

/**
 * Keeps the code of an error and nothing else of it.
 *
 * That nothing left takes two witnesses: the dispatcher never started the request, and the error is one of connecting.
 * A dispatcher may be somebody else's and say nothing of starting.
 */
export function readFailure(error: unknown, started: boolean): AttemptFailure {
  const failure = codeOf(error);
  return { failure, mayHaveLeft: started || !(isConnectionFailure(failure) || closed.has(failure)) };
}

/** Tells whether the connection failed; trying again may then succeed. */
export function isConnectionFailure(failure: string): boolean {
  return connecting.has(failure) || handshake.test(failure);
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[A-Z0-9_]{1,80}$/.test(code) ? code : "UNKNOWN";
}
