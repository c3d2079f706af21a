import { afterEach, describe, expect, test, vi } from "vitest";
import type { DoorcodeEvent } from "../../src/doorcode-event.ts";
import type { Body, HttpRequest } from "../../src/http/exchange.ts";
import { createWebhookMount } from "../../src/http/webhook-mount.ts";
import type { Store } from "../../src/store/store.ts";
import { createChangeListeners } from "../../src/util/change-listeners.ts";
import { wait } from "../../src/util/clock.ts";
import { DoorcodeError } from "../../src/util/errors.ts";
import { withoutTransactions } from "../../src/webhooks/event-transactions.ts";
import type { WebhookHandlers } from "../../src/webhooks/handlers.ts";
import type { Inbox } from "../../src/webhooks/inbox.ts";
import { createInboxReceiver } from "../../src/webhooks/inbox-receiver.ts";
import { createReceiver } from "../../src/webhooks/receiver.ts";
import { importSigningSecrets, signDelivery } from "../../src/webhooks/signature.ts";
import { bodyOf, createReceiverSetup } from "../webhooks/receiver-setup.ts";
import { lowerCase, vectors } from "../webhooks/vectors.ts";

const payload = {
  event: "message.status.update",
  data: { message_id: "msg_1", status: "SENT", status_updated_at: "2026-09-21T14:13:20Z" },
};

afterEach(() => {
  vi.restoreAllMocks();
});

interface EndpointParts {
  readonly handlers?: WebhookHandlers;
  readonly secrets?: readonly string[];
  readonly toleranceSeconds?: number;
  readonly store?: Store;
  readonly inbox?: Inbox;
}

function createEndpoint({ handlers = {}, secrets = ["whk"], toleranceSeconds = 300, ...own }: EndpointParts = {}) {
  const setup = createReceiverSetup();
  const { store = setup.store } = own;
  const { clock } = setup;
  const published: DoorcodeEvent[] = [];
  const publish = (event: DoorcodeEvent) => void published.push(event);
  const shared = { store, clock, publish, name: "app", handlers, handlerSeconds: 60 };
  const parts = {
    ...shared,
    transactions: withoutTransactions(store),
    rollsBack: false,
    changes: createChangeListeners(),
  };
  const { inbox } = own;
  const mount = createWebhookMount({
    receiver: inbox ? createInboxReceiver({ inbox, clock, publish }) : createReceiver(parts),
    keys: importSigningSecrets(secrets),
    toleranceSeconds,
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

/** An answer to a request whose body is not read ends its connection. */
const closing = { connection: "close" };

describe("the webhook endpoint", () => {
  test("acknowledges a delivery, and the same delivery again", async () => {
    const calls: unknown[] = [];
    const endpoint = createEndpoint({ handlers: { "message.status.update": ({ data }) => void calls.push(data) } });
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await endpoint.handle(delivery(endpoint))).toEqual({ status: 204, cookies: [], headers: {} });
    }
    expect(calls).toEqual([payload.data]);
    expect(endpoint.published.map(({ type }) => type)).toEqual(["webhook.handled", "webhook.duplicate"]);
  });

  test("handles the path of the mount, with and without a slash, and leaves other requests unread", async () => {
    const endpoint = createEndpoint();
    expect(await statusAndCode(endpoint.handle(delivery(endpoint, undefined, { path: "" })))).toEqual([204, undefined]);
    const untouched = new Proxy(requestOf({ path: "/other" }), {
      get(target, member) {
        if (member !== "path" && member !== "method") throw new Error(`${String(member)} was read`);
        return Reflect.get(target, member);
      },
    });
    expect(await endpoint.handle(untouched)).toBeUndefined();
    expect(endpoint.mount.paths).toEqual(["/"]);
  });

  test.each(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])("refuses %s, and names the allowed method", async (method) => {
    const response = await createEndpoint().handle(requestOf({ method }));
    expect(response).toMatchObject({ status: 405, code: "method_not_allowed", headers: closing });
    expect(response).toMatchObject({ headers: { allow: "POST" } });
  });

  test.each(["gzip", "br", "identity, gzip", ["identity"]])("refuses the content encoding %j", async (encoding) => {
    const endpoint = createEndpoint();
    const request = delivery(endpoint, undefined, { headers: { "content-encoding": encoding } });
    const response = await endpoint.handle(request);
    expect(response).toMatchObject({ status: 415, code: "media_type_unsupported", headers: closing });
    expect(response?.body).toContain("without a content encoding");
  });

  test.each(["identity", "Identity", "", undefined])("accepts the content encoding %j", async (encoding) => {
    const endpoint = createEndpoint();
    const request = delivery(endpoint, undefined, { headers: { "content-encoding": encoding } });
    expect(await statusAndCode(endpoint.handle(request))).toEqual([204, undefined]);
  });

  test.each(["application/json; charset=utf-16", "text/plain", undefined])(
    "accepts a signed delivery with the content type %j",
    async (type) => {
      const endpoint = createEndpoint();
      const request = delivery(endpoint, undefined, { headers: { "content-type": type } });
      expect(await statusAndCode(endpoint.handle(request))).toEqual([204, undefined]);
    },
  );

  test("reads a body up to its limit, and closes the connection beyond it", async () => {
    const limits: number[] = [];
    const readBody = async (limitBytes: number): Promise<Body> => {
      limits.push(limitBytes);
      throw new DoorcodeError("body_too_large");
    };
    const endpoint = createEndpoint();
    const response = await endpoint.handle({ ...delivery(endpoint), readBody });
    expect(response).toMatchObject({ status: 413, code: "body_too_large", headers: { connection: "close" } });
    expect(limits).toEqual([1_048_576]);
  });

  test("rejects with the error of reading the body", async () => {
    const gone = new Error("aborted");
    const endpoint = createEndpoint();
    const request = { ...delivery(endpoint), readBody: () => Promise.reject(gone) };
    await expect(endpoint.handle(request)).rejects.toBe(gone);
  });

  test("acknowledges an unreadable signed body, and publishes an event", async () => {
    const endpoint = createEndpoint();
    for (const body of ["not json", "[]"]) {
      const request = delivery(endpoint, Buffer.from(body));
      expect(await statusAndCode(endpoint.handle(request))).toEqual([204, undefined]);
    }
    expect(endpoint.published).toEqual([
      { type: "webhook.unreadable", reason: "not_json" },
      { type: "webhook.unreadable", reason: "not_an_object" },
    ]);
  });
});

describe("a delivery with an invalid signature", () => {
  const refused = vectors.filter((vector) => vector.expect !== "accepted");

  test.each(refused)("gets a bare 401 and is not processed: $name", async (vector) => {
    const calls: unknown[] = [];
    const note = (event: unknown) => void calls.push(event);
    const handlers = { "message.status.update": note, "verification.update": note, unknown: note };
    const endpoint = createEndpoint({ ...vector, handlers, store: untouchableStore });
    const body = Buffer.from(vector.bodyBase64, "base64");
    const response = await endpoint.handle(requestOf({ headers: lowerCase(vector.headers), body }));
    expect(response).toMatchObject({ status: 401, code: "signature_invalid" });
    expect(response?.body).not.toMatch(/timestamp|header|malformed|mismatch/);
    expect(endpoint.published).toEqual([{ type: "webhook.refused", reason: vector.expect }]);
    expect(calls).toEqual([]);
  });

  test.each([
    { what: "headers", headers: { "x-webhook-signature": "v1=00" }, connection: "close" },
    { what: "body", headers: { "x-webhook-signature": `v1=${"0".repeat(64)}` }, connection: undefined },
  ])("keeps the connection only if the whole request was read: wrong $what", async ({ headers, connection }) => {
    const endpoint = createEndpoint();
    const response = await endpoint.handle(delivery(endpoint, undefined, { headers }));
    expect([response?.status, response?.headers.connection]).toEqual([401, connection]);
  });

  test("is refused if it is signed with an old secret that is no longer configured", async () => {
    const during = createEndpoint({ secrets: ["new", "whk"] });
    const after = createEndpoint({ secrets: ["new"] });
    expect(await statusAndCode(during.handle(delivery(during)))).toEqual([204, undefined]);
    expect(await statusAndCode(after.handle(delivery(after)))).toEqual([401, "signature_invalid"]);
  });
});

/** Stores nothing, and never answers. */
const stuckInbox: Inbox = {
  add: () => Promise.withResolvers<never>().promise,
  work: () => Promise.reject(new Error("work")),
  deadLetters: () => Promise.reject(new Error("deadLetters")),
  replay: () => Promise.reject(new Error("replay")),
  close: () => Promise.reject(new Error("close")),
};

/** Rejects every call: a request that is not authenticated must not reach the store. */
const untouchableStore: Store = {
  get: () => Promise.reject(new Error("get")),
  put: () => Promise.reject(new Error("put")),
  increment: () => Promise.reject(new Error("increment")),
  lease: () => Promise.reject(new Error("lease")),
  settle: () => Promise.reject(new Error("settle")),
};

describe("a body that was already read", () => {
  const gone = () => Promise.reject(new DoorcodeError("body_already_read"));
  const parsed = async () => ({ parsed: payload });

  test.each([
    ["parsed by the host", parsed],
    ["gone", gone],
  ])("is refused with its own code, and not serialized again, if it is %s", async (_how, body) => {
    vi.spyOn(process, "emitWarning").mockReturnValue();
    const endpoint = createEndpoint();
    const { headers } = delivery(endpoint);
    const response = await endpoint.handle(requestOf({ headers, body }));
    expect(response).toMatchObject({ status: 500, code: "body_already_read" });
    expect(response?.body).toContain("express.json()");
    expect(endpoint.published).toEqual([{ type: "webhook.body_already_read" }]);
  });

  test("warns once for each mount, and publishes an event each time", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
    const endpoint = createEndpoint();
    const { headers } = delivery(endpoint);
    for (let attempt = 0; attempt < 3; attempt++) await endpoint.handle(requestOf({ headers, body: parsed }));
    expect(warn.mock.calls).toEqual([[expect.any(String), expect.objectContaining({ code: "body_already_read" })]]);
    expect(endpoint.published).toHaveLength(3);
    await createEndpoint().handle(requestOf({ headers, body: parsed }));
    expect(warn).toHaveBeenCalledTimes(2);
  });
});

describe("the answer that makes the service retry", () => {
  test("is 500 for a handler that fails", async () => {
    const fail = () => Promise.reject(new Error("the app's database is down at 10.0.0.7"));
    const endpoint = createEndpoint({ handlers: { "message.status.update": fail } });
    const response = await endpoint.handle(delivery(endpoint));
    expect(response).toMatchObject({ status: 500, code: "handler_failed" });
    expect(response?.body).not.toContain("10.0.0.7");
  });

  test("is 503 for a handler that has not ended four seconds after the request began, reading the body included", async () => {
    const endpoint = createEndpoint({ handlers: { "message.status.update": () => new Promise(() => undefined) } });
    const request = delivery(endpoint);
    const readBody = async (limitBytes: number, signal: AbortSignal) => {
      await wait(endpoint.clock, 3000);
      return request.readBody(limitBytes, signal);
    };
    const answer = endpoint.handle({ ...request, readBody });
    await endpoint.clock.advance(3999);
    expect(endpoint.published).toEqual([]);
    await endpoint.clock.advance(1);
    expect(await statusAndCode(answer)).toEqual([503, "handler_unfinished"]);
  });

  test.each([
    ["an event", bodyOf(payload)],
    ["a body that is none", Buffer.from("[]")],
  ])("is 503 for an inbox that has not stored %s four seconds after the request began", async (_what, body) => {
    const endpoint = createEndpoint({ inbox: stuckInbox });
    const readBody = async () => {
      await wait(endpoint.clock, 3000);
      return { bytes: body };
    };
    const answers: unknown[] = [];
    void statusAndCode(endpoint.handle({ ...delivery(endpoint, body), readBody })).then((answer) =>
      answers.push(answer),
    );
    await endpoint.clock.advance(3999);
    expect(answers).toEqual([]);
    await endpoint.clock.advance(1);
    expect(answers).toEqual([[503, "store_unavailable"]]);
  });

  test("is 503 for a store that fails", async () => {
    const endpoint = createEndpoint({ store: untouchableStore });
    const response = await endpoint.handle(delivery(endpoint));
    expect(response).toMatchObject({ status: 503, code: "store_unavailable", headers: { "retry-after": "5" } });
    expect(endpoint.published.map(({ type }) => type)).toEqual(["store.failed"]);
  });
});
