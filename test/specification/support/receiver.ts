import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { onTestFinished } from "vitest";
import { listen } from "../../support/listen.ts";

/** A delivery that arrived. */
export interface Arrival {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly event: string;
  readonly data: Readonly<Record<string, string>>;
}

/** The customer's server: it records what arrives, and answers as the test says. */
export interface Receiver {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  /** The `channel_status` of each arrival, else its `status`. */
  statuses(): readonly string[];
}

/**
 * Starts a server on a port of its own. It ends with the test.
 *
 * @param answers - statuses by arrival, the last one forever; `silent` never answers.
 */
export async function startReceiver(...answers: (number | "silent")[]): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const answer = answers[Math.min(arrivals.length, answers.length - 1)] ?? 204;
    const { event, data } = JSON.parse(body.toString());
    arrivals.push({ method: request.method ?? "", headers: request.headers, body, event, data });
    if (answer !== "silent") response.writeHead(answer).end();
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  return {
    url: `${url}/webhooks`,
    arrivals,
    statuses: () => arrivals.map(({ data }) => data.channel_status ?? data.status ?? ""),
  };
}

/** Computes the signature header as the specification describes it, without code of the project. */
export function expectedSignature(secret: string, { headers, body }: Pick<Arrival, "headers" | "body">): string {
  const hmac = createHmac("sha256", secret).update(`${headers["x-webhook-timestamp"]}.`).update(body);
  return `v1=${hmac.digest("hex")}`;
}
