import { once } from "node:events";
import { type Agent, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";

/** Headers in the order of the wire; a name may come twice. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** An answer, with its body already read. */
export interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The code of a refusal. */
  readonly code: unknown;
}

/**
 * Begins a POST with headers that fetch would refuse to send. Whoever gives no content-length sends the body in chunks.
 *
 * @param agent - keeps the connection for later; without one it serves this request alone.
 */
export function beginPost(url: string, lines: HeaderLines, agent: Agent | false = false): ClientRequest {
  const all: HeaderLines = [["host", new URL(url).host], ...lines];
  const headers = all.flatMap(([name, value]) => [name, bytesOf(value)]);
  const post = request(url, { method: "POST", headers, agent });
  // The other side may cut the connection under a body that it does not want: what it answered before that counts.
  post.on("error", () => {});
  return post;
}

/** Resolves when the other side has answered; rejects when it hangs up instead. */
export async function answerTo(post: ClientRequest): Promise<Answer> {
  const [response]: IncomingMessage[] = await once(post, "response");
  if (!response) throw new Error("An answer without a response.");
  const text = Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode, headers: response.headers, text, code: codeOf(text) };
}

/** Node writes one byte for each character: what is beyond latin-1 goes out as its UTF-8 bytes. */
function bytesOf(value: string): string {
  const bytes = Buffer.from(value, "latin1");
  return bytes.toString("latin1") === value ? value : Buffer.from(value).toString("latin1");
}

function codeOf(text: string): unknown {
  return text.startsWith("{") ? JSON.parse(text).code : undefined;
}
