import { createServer, type IncomingHttpHeaders } from "node:http";
import { createServiceClient, type ServiceClient } from "@doorcode/core/service";
import { onTestFinished } from "vitest";
import { listen } from "../../support/listen.ts";

/** A request of the kit's client that arrived. */
export interface RecordedRequest {
  readonly route: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** An answer of the service. */
export interface Scripted {
  readonly status?: number;
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
}

/** The kit's client, and a service that records every request and gives each the same answer. */
export interface RecordedService {
  readonly client: ServiceClient;
  readonly requests: readonly RecordedRequest[];
  /** The body of the newest request. */
  sent(): Record<string, unknown>;
}

export const apiKey = "key_of_these_tests";

/** Starts a service with one answer. It ends with the test. */
export async function startService({ status = 200, body = {} }: Scripted = {}, path = "/v1"): Promise<RecordedService> {
  const requests: RecordedRequest[] = [];
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    requests.push({ route: `${request.method} ${request.url}`, headers: request.headers, text });
    const answer = typeof body === "string" ? body : JSON.stringify(body);
    response.writeHead(status, { "content-type": "application/json" }).end(answer);
  });
  const { url, close } = await listen(server);
  const client = createServiceClient({ baseUrl: `${url}${path}`, apiKey });
  onTestFinished(async () => {
    await client.close();
    await close();
  });
  return { client, requests, sent: () => JSON.parse(requests.at(-1)?.text ?? "null") };
}

/** Requests as the specification shows them. */
export const message = {
  recipients: ["+4915112345678"],
  channels: [{ channel: "SMS", sender: "Doorcode", content: { text: "Hello" } }],
} as const;

export const verification = {
  recipient: "+4915112345678",
  template: { name: "login", variables: { app: "Example" } },
  channels: [{ channel_name: "SMS", priority: 1 }],
} as const;

/** Answers as the specification shows them. */
export const accepted = {
  message: {
    request_id: "req_1",
    status: "SUCCESS",
    messages: [{ message_id: "msg_1", recipient: "+4915112345678", status: "QUEUED" }],
  },
  verification: { request_id: "req_1", verification_id: "ver_1", error_code: "", error_message: "" },
  confirmation: { success: true, message: "Verified." },
} as const;
