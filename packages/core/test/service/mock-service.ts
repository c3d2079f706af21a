import { MockAgent } from "undici";
import { onTestFinished } from "vitest";
import { createServiceClient, type ServiceClient, type ServiceOptions } from "../../src/service/client.ts";

export const apiKey = "sk_live_Zq7-bX2.fake";
export const baseUrl = "https://service.example/v1";
export const phone = "+4915123456789";

export const message = {
  recipients: [phone],
  channels: [{ channel: "SMS", sender: "Example", content: { text: "Your parcel is on its way." } }],
} as const;

export const verification = {
  recipient: phone,
  template: { name: "login", variables: { app: "Example" } },
  channels: [{ channel_name: "SMS", priority: 1 }],
} as const;

/** A request as the client sent it. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The answer of the service. A text is sent unchanged, any other body as JSON. */
export interface MockAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Creates a client of a service that gives every request the same answer, and records the requests. */
export function mockService(
  answer: MockAnswer | Error,
  options: Partial<ServiceOptions> = {},
): { readonly client: ServiceClient; readonly sent: readonly SentRequest[] } {
  const agent = new MockAgent();
  agent.disableNetConnect();
  onTestFinished(() => agent.close());
  const sent: SentRequest[] = [];
  const interceptor = agent
    .get("https://service.example")
    .intercept({ path: (path) => path.startsWith("/v1/"), method: () => true });
  if (answer instanceof Error) interceptor.replyWithError(answer).persist();
  else interceptor.reply(answer.status, answerText(answer.body), { headers: { ...answer.headers } }).persist();

  const dispatcher = agent.compose((dispatch) => (request, handler) => {
    const { method, path, headers, body } = request;
    sent.push({
      method,
      path,
      headers: headers as Record<string, string>,
      body: typeof body === "string" ? JSON.parse(body) : body,
    });
    return dispatch(request, handler);
  });
  return { client: createServiceClient({ baseUrl, apiKey, dispatcher, ...options }), sent };
}

function answerText(body: unknown): string {
  return typeof body === "string" ? body : (JSON.stringify(body) ?? "");
}
