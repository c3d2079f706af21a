import { type ClientRequest, request as requestHttp } from "node:http";
import { type RequestOptions, request as requestHttps } from "node:https";
import type { TcpSocketConnectOpts } from "node:net";
import { TLSSocket } from "node:tls";
import { isLoopbackName, lookupLoopback } from "./loopback.ts";
import { readBeginning } from "./read-beginning.ts";

/** One POST to be made. */
export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as UTF-8. */
  readonly body: string;
  /** From the connection to the end of the answer, or of the part of it that is read; on the wall clock. */
  readonly limitMilliseconds: number;
  /** Ends the connection after half of the body. */
  readonly cut?: boolean;
}

/** What answered a POST. */
export interface Reply {
  readonly status: number;
  /** The beginning of the body. */
  readonly answer: string;
}

/** The endpoint's certificate is not one that a client may trust. */
export class BadCertificateError extends Error {}

/**
 * Posts once over a connection of its own and follows no redirect.
 *
 * Rejects with {@link BadCertificateError} when TLS refuses the certificate, with any other error when no whole answer
 * came, `signal` included.
 *
 * @see "Receiver contract" of the specification
 */
export function postOverHttp(post: Post, signal: AbortSignal): Promise<Reply> {
  const bytes = Buffer.from(post.body);
  return new Promise((resolve, reject) => {
    const request = open(post, bytes.byteLength, signal);
    rejectOnFailure(request, reject);
    request.on("response", (response) => {
      const status = response.statusCode ?? 0;
      readBeginning(response).then((answer) => resolve({ status, answer }), reject);
    });
    request.end(bytes);
  });
}

/** Posts the headers and half of the body, then ends the connection; resolves when that half has left. */
export function cutOverHttp(post: Post, signal: AbortSignal): Promise<void> {
  const bytes = Buffer.from(post.body);
  return new Promise((resolve, reject) => {
    const request = open(post, bytes.byteLength, signal);
    rejectOnFailure(request, reject);
    request.write(firstHalf(bytes), (error) => {
      if (error) return;
      resolve();
      request.destroy();
    });
  });
}

/** The part of a body that leaves when the connection is cut. */
export function firstHalf(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, Math.floor(bytes.byteLength / 2));
}

/** `http.request` hands the options of the connection on, which its own type leaves out. */
type Options = RequestOptions & Pick<TcpSocketConnectOpts, "autoSelectFamily" | "autoSelectFamilyAttemptTimeout">;

function open({ url, headers, limitMilliseconds }: Post, byteLength: number, signal: AbortSignal): ClientRequest {
  const target = new URL(url);
  const options: Options = {
    method: "POST",
    headers: { ...headers, "Content-Length": byteLength },
    // A connection per attempt: one kept open can be closed by the receiver just as the next payload leaves.
    agent: false,
    // Also when the environment switches the check off: the service would not deliver there.
    rejectUnauthorized: true,
    signal,
  };
  if (isLoopbackName(target.hostname)) {
    options.lookup = lookupLoopback;
    options.autoSelectFamily = true;
    // An address where nobody listens refuses at once; one that is slow is the right one.
    options.autoSelectFamilyAttemptTimeout = limitMilliseconds;
  }
  return (target.protocol === "https:" ? requestHttps : requestHttp)(target, options);
}

function rejectOnFailure(request: ClientRequest, reject: (error: Error) => void): void {
  let answered = false;
  request.on("response", () => {
    answered = true;
  });
  request.on("error", (error) => reject(isCertificateRefused(request) ? new BadCertificateError() : error));
  // Some answers, such as a change of protocol, end a request without an error.
  request.on("close", () => {
    if (!answered) reject(new Error("The connection was closed without an answer."));
  });
}

function isCertificateRefused({ socket }: ClientRequest): boolean {
  return socket instanceof TLSSocket && Boolean(socket.authorizationError);
}
