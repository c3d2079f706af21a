import { Agent, type ClientRequest, request as requestHttp } from "node:http";
import { type RequestOptions, request as requestHttps } from "node:https";
import type { TcpSocketConnectOpts } from "node:net";
import { TLSSocket } from "node:tls";
import { isLoopbackName, lookupLoopback } from "../primitives/loopback.ts";

/** One POST to send. */
export interface Post {
  readonly url: string;
  /** The headers, without those of the connection. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as UTF-8. */
  readonly body: string;
  /** Time from the connection to the end of the answer's excerpt, on the wall clock. */
  readonly timeoutMilliseconds: number;
  /** Closes the connection after half of the body. */
  readonly cut?: boolean;
}

/** The answer to a POST. */
export interface PostAnswer {
  readonly status: number;
  /** The first 2,000 characters of the body. */
  readonly answer: string;
}

/** The error of a TLS connection whose certificate is not trusted. */
export class BadCertificateError extends Error {}

/**
 * Posts once over a new connection and follows no redirect.
 *
 * Rejects with {@link BadCertificateError} when TLS refuses the certificate, and with another error when there is no
 * complete answer, for example because `signal` was aborted.
 *
 * @see "Receiver contract" of the specification
 */
export function postOverHttp(post: Post, signal: AbortSignal): Promise<PostAnswer> {
  const bytes = Buffer.from(post.body);
  return new Promise((resolve, reject) => {
    const request = open(post, bytes.byteLength, signal);
    rejectOnFailure(request, reject);
    request.on("response", (response) => {
      const status = response.statusCode ?? 0;
      readExcerpt(response).then((answer) => resolve({ status, answer }), reject);
    });
    request.end(bytes);
  });
}

/** Posts the headers and half of the body, then closes the connection. Resolves when that half was sent. */
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

/** Returns the part of a body that is sent before the connection is cut. */
export function firstHalf(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, Math.floor(bytes.byteLength / 2));
}

/** `http.request` passes these options to the connection. Its type omits them. */
type Options = RequestOptions & Pick<TcpSocketConnectOpts, "autoSelectFamily" | "autoSelectFamilyAttemptTimeout">;

/** Keeps no connection, like the agent of each request that `agent: false` creates. */
const agentWithoutReuse = new Agent();

function open({ url, headers, timeoutMilliseconds }: Post, byteLength: number, signal: AbortSignal): ClientRequest {
  const target = new URL(url);
  const options: Options = {
    method: "POST",
    headers: { ...headers, "Content-Length": byteLength },
    // One connection for each attempt. A receiver may close a reused connection while the next payload is being sent.
    // An agent for TLS would resume sessions, and then not ask for the certificate again.
    agent: target.protocol === "https:" ? false : agentWithoutReuse,
    // Even when the environment disables the check, because the real service would not deliver there.
    rejectUnauthorized: true,
    signal,
  };
  if (isLoopbackName(target.hostname)) {
    options.lookup = lookupLoopback;
    options.autoSelectFamily = true;
    // An address without a server refuses at once, so a slow address is the right one.
    options.autoSelectFamilyAttemptTimeout = timeoutMilliseconds;
  }
  return (target.protocol === "https:" ? requestHttps : requestHttp)(target, options);
}

function rejectOnFailure(request: ClientRequest, reject: (error: Error) => void): void {
  let answered = false;
  request.on("response", () => {
    answered = true;
  });
  request.on("error", (error) => reject(isCertificateRefused(request) ? new BadCertificateError() : error));
  // Some answers, such as a protocol upgrade, end a request without an error.
  request.on("close", () => {
    if (!answered) reject(new Error("The connection was closed without an answer."));
  });
}

function isCertificateRefused({ socket }: ClientRequest): boolean {
  return socket instanceof TLSSocket && Boolean(socket.authorizationError);
}

const maxExcerptLength = 2_000;

/** Reads the first 2,000 characters of a body, which is UTF-8, and then closes the stream. */
export async function readExcerpt(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= maxExcerptLength) break;
  }
  // The cut can be in the middle of a surrogate pair.
  return text.slice(0, maxExcerptLength).toWellFormed();
}
