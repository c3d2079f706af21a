import { describe, expect, test } from "vitest";
import { createManualClock } from "../../src/testing.ts";
import { capture, clientOf, json, reached, startLoopback } from "./loopback.ts";
import { message, mockService } from "./mock-service.ts";

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
