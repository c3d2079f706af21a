import { EventEmitter } from "node:events";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Body, HttpRequest } from "../../src/http/exchange.ts";
import { createWebhookMount } from "../../src/http/webhook-mount.ts";
import type { DoorcodeEvent } from "../../src/options.ts";
import type { EventOutcome } from "../../src/webhooks/handlers.ts";
import { createReceiver, type Receiver } from "../../src/webhooks/receiver.ts";
import { importSigningSecrets, signDelivery } from "../../src/webhooks/signature.ts";
import { bodyOf, createReceiverSetup } from "../webhooks/receiver-setup.ts";

const payload = {
  event: "message.status.update",
  data: { message_id: "msg_1", status: "SENT", status_updated_at: "2026-09-21T14:13:20Z" },
};

afterEach(() => {
  vi.restoreAllMocks();
});

function createEndpoint(ownReceiver?: Receiver) {
  const { store, clock } = createReceiverSetup();
  const published: DoorcodeEvent[] = [];
  const publish = (event: DoorcodeEvent) => void published.push(event);
  const changes = new EventEmitter();
  const deps = { store, clock, publish, changes, name: "app", handlers: {}, handlerSeconds: 60 };
  const mount = createWebhookMount({
    receiver: ownReceiver ?? createReceiver(deps),
    keys: importSigningSecrets(["whk"]),
    toleranceSeconds: 300,
    limitBytes: 1_048_576,
    clock,
    publish,
  });
  return { clock, published, mount, handle };

  /** Returns the answer, and the code that its body has. */
  async function handle(request: HttpRequest) {
    const response = await mount.handle(request, undefined);
    const { code } = JSON.parse(typeof response?.body === "string" ? response.body : "{}");
    return response && { ...response, code };
  }
}

type Endpoint = ReturnType<typeof createEndpoint>;

/** Creates a request as an adapter does. */
function requestOf(facts: Partial<HttpRequest> & { body?: Uint8Array | (() => Promise<Body>) }): HttpRequest {
  const { body = new Uint8Array(), ...rest } = facts;
  return {
    method: "POST",
    basePath: "/webhooks",
    path: "/",
    query: "",
    headers: {},
    remoteAddress: "192.0.2.1",
    closed: new AbortController().signal,
    readBody: typeof body === "function" ? body : async () => ({ bytes: body }),
    ...rest,
  };
}

/** Creates a delivery that the service signed at the endpoint's time. */
function delivery(
  endpoint: Endpoint,
  body: Uint8Array = bodyOf(payload),
  facts: Partial<HttpRequest> = {},
): HttpRequest {
  const timestampSeconds = Math.floor(endpoint.clock.now() / 1000);
  const signed = signDelivery({ secret: "whk", body, timestampSeconds });
  const headers = {
    "content-type": "application/json",
    "x-webhook-timestamp": signed["X-Webhook-Timestamp"],
    "x-webhook-signature": signed["X-Webhook-Signature"],
    ...facts.headers,
  };
  return requestOf({ body, ...facts, headers });
}

async function statusAndCode(answer: ReturnType<Endpoint["handle"]>): Promise<unknown[]> {
  const response = await answer;
  return [response?.status, response?.code];
}

describe("the webhook endpoint", () => {
  test.each(["identity", "Identity", "", undefined])("accepts the content encoding %j", async (encoding) => {
    const endpoint = createEndpoint();
    const request = delivery(endpoint, undefined, { headers: { "content-encoding": encoding } });
    expect(await statusAndCode(endpoint.handle(request))).toEqual([204, undefined]);
  });
});

test.each([
  { what: "headers", headers: { "x-webhook-signature": "v1=00" }, connection: "close" },
  { what: "body", headers: { "x-webhook-signature": `v1=${"0".repeat(64)}` }, connection: undefined },
])(
  "a refusal keeps the connection only if the whole request was read: wrong $what",
  async ({ headers, connection }) => {
    vi.spyOn(process, "emitWarning").mockReturnValue();
    const endpoint = createEndpoint();
    const response = await endpoint.handle(delivery(endpoint, undefined, { headers }));
    expect([response?.status, response?.headers.connection]).toEqual([401, connection]);
  },
);

test("an event that another process takes over is no failure of the endpoint, and ends no row of failures", async () => {
  vi.spyOn(process, "emitWarning").mockReturnValue();
  const takenOver: readonly EventOutcome[] = Array(5).fill("superseded");
  const outcomes: EventOutcome[] = ["failed", "failed", "failed", "failed", ...takenOver, "failed"];
  const receive = async () => outcomes.shift() ?? "handled";
  const endpoint = createEndpoint({ receive, receiveUnreadable: receive });
  while (outcomes.length > 0) await endpoint.handle(delivery(endpoint));
  const failing = endpoint.published.filter(({ type }) => type === "webhook.failing");
  expect(failing).toEqual([{ type: "webhook.failing", reason: "handler_failed", count: 5 }]);
});
