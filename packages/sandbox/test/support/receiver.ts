import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { SandboxApplication } from "../../src/index.ts";

/** A received delivery. */
export interface Arrival {
  readonly headers: Headers;
  readonly bytes: string;
  readonly payload: { readonly event: string; readonly data: Readonly<Record<string, string>> };
}

/** Creates a webhook endpoint that keeps what it receives and answers with the given statuses, the last one forever. */
export function createReceiver(...statuses: number[]) {
  const arrivals: Arrival[] = [];
  const handler = async (request: Request): Promise<Response> => {
    const bytes = await request.text();
    const status = statuses[Math.min(arrivals.length, statuses.length - 1)] ?? 204;
    arrivals.push({ headers: request.headers, bytes, payload: JSON.parse(bytes) });
    return new Response(null, { status });
  };
  return {
    arrivals,
    handler,
    data: () => arrivals.map(({ payload }) => payload.data),
    statuses: () => arrivals.map(({ payload: { data } }) => data.channel_status ?? data.status),
  };
}

/** Makes a new receiver the only webhook endpoint of an application. */
export function addReceiver(application: Pick<SandboxApplication, "deliverTo">, ...statuses: number[]) {
  const receiver = createReceiver(...statuses);
  application.deliverTo(receiver.handler);
  return receiver;
}

/** Serves the receiver on a free port. */
export async function serve({ handler }: { handler: (request: Request) => Promise<Response> }): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const init = { method: "POST", headers: incoming.headers as Record<string, string>, body: Buffer.concat(chunks) };
    const answer = await handler(new Request("http://localhost/", init));
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
}

/** Returns the signature header that the specification requires, without any code of the sandbox. */
export function expectedSignature(secret: string, { headers, bytes }: Arrival): string {
  const signed = `${headers.get("x-webhook-timestamp")}.${bytes}`;
  return `v1=${createHmac("sha256", secret).update(signed, "utf8").digest("hex")}`;
}
