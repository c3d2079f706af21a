import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { type RequestOptions, request as requestHttps } from "node:https";
import type { TcpSocketConnectOpts } from "node:net";
import { TLSSocket } from "node:tls";
import { isLoopbackName, lookupLoopback } from "../primitives/loopback.ts";

/** One POST to send. */
export interface Post {
  /** The destination. */
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
  /** The HTTP status. */
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
  };
  if (isLoopbackName(target.hostname)) {
    options.lookup = lookupLoopback;
    options.autoSelectFamily = true;
    // An address without a server refuses at once, so a slow address is the right one.
    options.autoSelectFamilyAttemptTimeout = timeoutMilliseconds;
  }
  const request = (target.protocol === "https:" ? requestHttps : requestHttp)(target, options);
  // The option `signal` watches the whole request and costs as much memory as its headers.
  signal.addEventListener("abort", () => request.destroy(), { once: true });
  return request;
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

/** The first 2,000 characters of an answer, while it arrives. */
interface Excerpt {
  add(chunk: Uint8Array): boolean;
  text(): string;
}

const maxLength = 2_000;

/** Creates an empty excerpt. */
export function createExcerpt(): Excerpt {
  const decoder = new TextDecoder();
  let text = "";
  return {
    add(chunk) {
      text += decoder.decode(chunk, { stream: true });
      return text.length >= maxLength;
    },
    // The cut can be in the middle of a surrogate pair.
    text: () => text.slice(0, maxLength).toWellFormed(),
  };
}

/** Reads an excerpt and then closes the connection. An iterator of the stream would allocate more than all else here. */
function readExcerpt(response: IncomingMessage): Promise<string> {
  const excerpt = createExcerpt();
  return new Promise((resolve, reject) => {
    response.on("data", (chunk: Buffer) => {
      if (!excerpt.add(chunk)) return;
      resolve(excerpt.text());
      response.destroy();
    });
    response.on("end", () => resolve(excerpt.text()));
    response.on("error", reject);
  });
}
