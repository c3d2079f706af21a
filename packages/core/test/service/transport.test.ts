import { Dispatcher, errors } from "undici";
import { describe, expect, test } from "vitest";
import { findFreePort } from "../../../../test/support/free-port.ts";
import { createServiceClient } from "../../src/service/client.ts";
import { createManualClock } from "../../src/testing.ts";
import { capture, clientOf, json, reached, startLoopback } from "./loopback.ts";
import { apiKey, message, mockService } from "./mock-service.ts";

const accepted = { request_id: "r1", status: "SUCCESS", messages: [] };
const unknown = { code: "service_unavailable", outcome: "unknown" };
const refused = { code: "service_unavailable", outcome: "refused" };

describe("an answer that does not come", () => {
  test("is given up after the response time-out, and the request is not retried", async () => {
    const clock = createManualClock();
    const server = await startLoopback(() => {});
    const sending = capture(clientOf(server, { clock }).messages.send(message));
    await reached(() => server.requests.length === 1);
    await clock.advance(9999);
    expect(sending.settled).toBe(false);
    await clock.advance(1);
    expect(await sending.error).toMatchObject(unknown);
    expect(server.requests).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  test("has an unknown outcome when the connection is cut within it", async () => {
    const server = await startLoopback((response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write('{"messages":', () => response.destroy());
    });
    await expect(clientOf(server).messages.send(message)).rejects.toMatchObject(unknown);
    expect(server.requests).toHaveLength(1);
  });

  test.each(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"])(
    "has an unknown outcome when the dispatcher reports %s, and the request is not retried",
    async (code) => {
      const { client, sent } = mockService(Object.assign(new Error(), { code }));
      await expect(client.messages.send(message)).rejects.toMatchObject(unknown);
      expect(sent).toHaveLength(1);
    },
  );
});

describe("an unexpected answer", () => {
  const megabyte = "x".repeat(1_048_577);

  test("is not read beyond one megabyte", async () => {
    const server = await startLoopback((response) => {
      response.writeHead(200).write(`{"messages":[],"padding":"${megabyte}`);
    });
    const unreadable = { code: "service_unreadable", outcome: "unknown" };
    await expect(clientOf(server).messages.send(message)).rejects.toMatchObject(unreadable);
  });

  test("is read beyond one megabyte when it is a list of messages", async () => {
    const messages = Array.from({ length: 50_000 }, (_, at) => ({ message_id: `message ${at}`, status: "DELIVERED" }));
    const server = await startLoopback((response) => json(response, 200, { messages }));
    expect(await clientOf(server).messages.list()).toEqual(messages);
  });

  test("is classified by its status when its body is too large", async () => {
    const server = await startLoopback((response) => json(response, 401, { message: megabyte }));
    await expect(clientOf(server).messages.send(message)).rejects.toMatchObject({ code: "service_unauthorized" });
  });

  test("is not followed as a redirect, which would send the API key to another host", async () => {
    const elsewhere = await startLoopback((response) => json(response, 200, accepted));
    const server = await startLoopback((response) => json(response, 307, {}, { location: elsewhere.url }));
    await expect(clientOf(server).messages.send(message)).rejects.toMatchObject({ code: "service_unreadable" });
    expect(elsewhere.requests).toEqual([]);
  });
});

describe("a signal", () => {
  test("that has aborted prevents the request", async () => {
    const { client, sent } = mockService({ status: 200, body: accepted });
    await expect(client.messages.send(message, { signal: AbortSignal.abort() })).rejects.toMatchObject(refused);
    expect(sent).toEqual([]);
  });

  test("that aborts while the answer is awaited leaves the outcome unknown and closes the connection", async () => {
    const aborting = new AbortController();
    let closed = false;
    const server = await startLoopback((response) => {
      response.on("close", () => {
        closed = true;
      });
    });
    const sending = capture(clientOf(server).messages.send(message, { signal: aborting.signal }));
    await reached(() => server.requests.length === 1);
    aborting.abort();
    expect(await sending.error).toMatchObject(unknown);
    await reached(() => closed);
  });

  test("that aborts in a pause before a retry ends the pause and prevents the retry", async () => {
    const clock = createManualClock();
    const aborting = new AbortController();
    const { client, sent } = mockService({ status: 429, headers: { "retry-after": "2" } }, { clock });
    const sending = capture(client.messages.send(message, { signal: aborting.signal }));
    await reached(() => clock.pending === 1);
    aborting.abort();
    expect(await sending.error).toMatchObject(refused);
    expect(sent).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });
});

describe("a connection error after the request has started", () => {
  test.each(["EHOSTUNREACH", "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "UND_ERR_DESTROYED"])(
    "leaves the outcome unknown with %s, and the request is not retried",
    async (code) => {
      const dispatcher = new BreakingDispatcher(Object.assign(new Error(), { code }));
      const client = createServiceClient({ baseUrl: "https://service.example", apiKey, dispatcher });
      await expect(client.messages.send(message)).rejects.toMatchObject(unknown);
      expect(dispatcher.started).toBe(1);
    },
  );
});

describe("a connection that fails", () => {
  test("is retried, and the request arrives once", async () => {
    const clock = createManualClock();
    const port = await findFreePort();
    const client = createServiceClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey, clock });
    const sending = client.messages.send(message);
    await reached(() => clock.pending === 1);
    await clock.advance(250);
    await reached(() => clock.pending === 1);
    const server = await startLoopback((response) => json(response, 200, accepted), port);
    await clock.advance(250);
    expect(await sending).toMatchObject({ request_id: "r1" });
    expect(server.requests).toEqual(["POST /messages"]);
    await client.close();
  });

  test.each([
    "ENOTFOUND",
    "ECONNREFUSED",
    "EHOSTUNREACH",
    "UND_ERR_CONNECT_TIMEOUT",
    "CERT_HAS_EXPIRED",
    "ERR_TLS_CERT_ALTNAME_INVALID",
  ])("with %s is tried three times", async (code) => {
    const clock = createManualClock();
    const { client, sent } = mockService(Object.assign(new Error(), { code }), { clock });
    const sending = capture(client.messages.send(message));
    await clock.advance(500);
    expect(await sending.error).toMatchObject(refused);
    expect(sent).toHaveLength(3);
  });

  test("in the handshake is retried, because nothing was sent", async () => {
    const clock = createManualClock();
    const server = await startLoopback((response) => json(response, 200, accepted));
    const client = createServiceClient({ baseUrl: server.url.replace("http:", "https:"), apiKey, clock });
    const sending = capture(client.messages.send(message));
    for (const _ of ["second", "third"]) {
      await reached(() => clock.pending === 1);
      await clock.advance(250);
    }
    expect(await sending.error).toMatchObject(refused);
    expect(server.connections).toBe(3);
    expect(server.requests).toEqual([]);
    await client.close();
  });

  test("after the dispatcher was closed is not retried", async () => {
    const { client, sent } = mockService(new errors.ClientClosedError());
    await expect(client.messages.send(message)).rejects.toMatchObject(refused);
    expect(sent).toHaveLength(1);
  });
});

describe("a service that asks for a pause", () => {
  test("gets a retry after the pause if it is short", async () => {
    const clock = createManualClock();
    const server = await startLoopback((response, number) => {
      if (number === 1) json(response, 429, {}, { "retry-after": "2" });
      else json(response, 200, accepted);
    });
    const sending = clientOf(server, { clock }).messages.send(message);
    await reached(() => server.requests.length === 1 && clock.pending === 1);
    await clock.advance(1999);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    expect(await sending).toMatchObject({ request_id: "r1" });
    expect(server.requests).toHaveLength(2);
  });

  test("gets a request at most three times", async () => {
    const clock = createManualClock();
    const { client, sent } = mockService({ status: 429, headers: { "retry-after": "1" } }, { clock });
    const sending = capture(client.messages.send(message));
    await clock.advance(10_000);
    expect(await sending.error).toMatchObject({
      code: "service_rate_limited",
      outcome: "refused",
      retryAfterSeconds: 1,
    });
    expect(sent).toHaveLength(3);
  });

  test.each([
    [429, "86400", 86_400],
    [429, "Mon, 21 Sep 2026 14:14:20 GMT", 60],
    [429, "Monday, 21-Sep-26 14:14:20 GMT", 60],
    [429, "1.5", undefined],
    [429, "soon", undefined],
    [429, "", undefined],
    [503, "1", 1],
    [503, "Mon, 21 Sep 2026 14:13:19 GMT", 0],
  ])(
    "gets no retry after %d with Retry-After %j, and the error has the seconds",
    async (status, retryAfter, retryAfterSeconds) => {
      const clock = createManualClock(Date.UTC(2026, 8, 21, 14, 13, 20));
      const { client, sent } = mockService({ status, headers: { "retry-after": retryAfter } }, { clock });
      await expect(client.messages.send(message)).rejects.toMatchObject({ retryAfterSeconds });
      expect(sent).toHaveLength(1);
    },
  );
});

/** A dispatcher that starts each request, as if on an open connection, and then fails. */
class BreakingDispatcher extends Dispatcher {
  started = 0;
  readonly #error: Error;

  constructor(error: Error) {
    super();
    this.#error = error;
  }

  override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const controller = { aborted: false, paused: false, reason: null, abort() {}, pause() {}, resume() {} };
    this.started++;
    handler.onRequestStart?.(controller, {});
    handler.onResponseError?.(controller, this.#error);
    return true;
  }
}
