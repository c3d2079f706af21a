import { createServer, IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { createNodeRequest, type NodeHost } from "@doorcode/core/adapter";
import { describe, expect, onTestFinished, test } from "vitest";

function requestOn(request: Readable, host: NodeHost = {}, headers: Readonly<Record<string, string>> = {}) {
  const raw = Object.assign(request, { method: "POST", url: "/", headers }) as unknown as IncomingMessage;
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  return createNodeRequest({ request: raw, response, host, url: "/start?a=1?b" });
}

function refusalOf(reading: Promise<unknown>): Promise<unknown> {
  return reading.then(
    () => "no refusal",
    (error: { readonly code?: unknown }) => error.code,
  );
}

/** The time to read is never over. */
const unlimited = new AbortController().signal;

/** Reads the body of a request as a text. A refusal is read as its code. */
function readOn(request: IncomingMessage, limitBytes: number): Promise<unknown> {
  const response = new ServerResponse(request);
  const reading = createNodeRequest({ request, response, host: {}, url: "/" }).readBody(limitBytes, unlimited);
  return reading.then(
    (body) => ("bytes" in body ? Buffer.from(body.bytes).toString() : body),
    ({ code }: { readonly code?: unknown }) => code,
  );
}

/** Serves one client that sends head and body in one packet, until its body is read and its request has closed. */
async function serveWhole(read: (request: IncomingMessage) => Promise<unknown>, headersAndBody: string) {
  const { promise: served, resolve } = Promise.withResolvers<unknown>();
  const seen: string[] = [];
  const server = createServer({ insecureHTTPParser: true }, (request, response) => {
    const reading = read(request);
    const closed = new Promise<void>((close) => request.on("close", close));
    request.on("end", () => seen.push("end")).on("close", () => seen.push("close"));
    const answered = reading.then(() => response.end());
    resolve(Promise.all([reading, closed, answered]).then(([outcome]) => outcome));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  client.write(`POST / HTTP/1.1\r\nhost: localhost\r\n${headersAndBody}`);
  return { outcome: await served, seen };
}

const events = ["data", "end", "error", "close", "aborted"];

describe("a request of Node", () => {
  test("separates its path from its query at the first question mark", () => {
    expect(requestOn(Readable.from([]))).toMatchObject({ path: "/start", query: "a=1?b" });
  });

  test.each<[how: string, prepare: (stream: Readable) => unknown, first: readonly string[], later: readonly string[]]>([
    ["of which a part has come", () => undefined, ["who"], ["le"]],
    ["of which nothing has come", () => undefined, [], ["who", "le"]],
    ["that somebody else listens to", (stream) => stream.on("data", () => {}), ["who", "le"], []],
    ["that somebody else decodes", (stream) => stream.setEncoding("utf8"), ["whole"], []],
  ])("reads all bytes of a body %s", async (_how, prepare, first, later) => {
    const stream = new PassThrough();
    for (const part of first) stream.write(part);
    prepare(stream);
    const reading = requestOn(stream, {}, { "content-length": "5" }).readBody(5, unlimited);
    await setImmediate();
    for (const part of later) stream.write(part);
    stream.end();
    expect(await reading).toEqual({ bytes: Buffer.from("whole") });
  });

  test.each<[how: string, listen: (request: IncomingMessage) => unknown]>([
    ["listens to its bytes", (request) => request.on("data", () => {})],
    ["reads its bytes", (request) => request.on("readable", () => request.read())],
    ["lets them flow", (request) => request.resume()],
  ])("reads a body of which somebody else %s later in the same turn", async (_how, listen) => {
    const read = (request: IncomingMessage) => {
      const reading = readOn(request, 5);
      listen(request);
      return reading;
    };
    const { outcome } = await serveWhole(read, "content-length: 5\r\n\r\nwhole");
    expect(outcome).toBe("whole");
  });

  test("reads all chunks of a body that also has a length, which a lenient parser lets through", async () => {
    const body = "5\r\nwhole\r\n4\r\nmore\r\n0\r\n\r\n";
    const head = "content-length: 5\r\ntransfer-encoding: chunked";
    const { outcome } = await serveWhole((request) => readOn(request, 9), `${head}\r\n\r\n${body}`);
    expect(outcome).toBe("wholemore");
  });

  test.each([
    ["no listeners left after a whole body", Readable.from([Buffer.alloc(3)]), { error: 0 }],
    ["one listener left after a body over the limit, for late errors", Readable.from([Buffer.alloc(4)]), { error: 1 }],
  ])("has %s", async (_, stream, more) => {
    const count = () => Object.fromEntries(events.map((event) => [event, stream.listenerCount(event)]));
    const before = count();
    await refusalOf(requestOn(stream).readBody(3, unlimited));
    expect(count()).toEqual({ ...before, error: (before.error ?? 0) + more.error });
  });

  test("W19: reads nothing more, and keeps one listener for late errors, when the time for the body is over", async () => {
    const upload = new PassThrough();
    const time = new AbortController();
    const count = () => events.map((event) => upload.listenerCount(event));
    const before = count();
    const reading = requestOn(upload).readBody(1000, time.signal);
    upload.write("the beginning");
    await setImmediate();
    const timeIsOver = new Error("The time is over.");
    time.abort(timeIsOver);

    await expect(reading).rejects.toBe(timeIsOver);
    expect(upload.isPaused()).toBe(true);
    expect(count()).toEqual(before.map((listeners, index) => listeners + (events[index] === "error" ? 1 : 0)));
  });

  test("W20: takes the place that its buffer takes, and beyond 16 MiB the oldest one is refused", async () => {
    const limitBytes = 65_536;
    const uploads = Array.from({ length: 260 }, () => new PassThrough());
    const readings = uploads.map((upload) => refusalOf(requestOn(upload).readBody(limitBytes, unlimited)));
    for (const upload of uploads) {
      // The second chunk doubles the buffer for the sake of a byte.
      upload.write(Buffer.alloc(limitBytes / 2));
      await setImmediate();
      upload.write("x");
      await setImmediate();
    }
    for (const upload of uploads) upload.end();
    const outcomes = await Promise.all(readings);

    expect(outcomes).toEqual([...Array(4).fill("server_busy"), ...Array(256).fill("no refusal")]);
  });

  test("is given up when its time is over in the turn in which it began", async () => {
    const time = new AbortController();
    const reading = requestOn(new PassThrough()).readBody(1000, time.signal);
    const timeIsOver = new Error("The time is over.");
    time.abort(timeIsOver);
    await expect(reading).rejects.toBe(timeIsOver);
  });

  test("a client that hung up before the body was read is not an error of the app", async () => {
    const stream = Readable.from([Buffer.from("half")]);
    stream.destroy();
    expect(await refusalOf(requestOn(stream).readBody(10, unlimited))).toBe("body_malformed");
    await setImmediate();
    expect(await refusalOf(requestOn(stream).readBody(10, unlimited))).toBe("body_malformed");
  });

  test.each([
    ["fails", new Error("incorrect data check")],
    ["closes", undefined],
  ])("a stream that %s while it is read is refused", async (_how, error) => {
    // Without `autoDestroy` an error is all that comes.
    const stream = new PassThrough({ autoDestroy: false });
    const reading = requestOn(stream).readBody(8, unlimited);
    stream.write("half");
    if (error) stream.emit("error", error);
    else stream.destroy();
    expect(await refusalOf(reading)).toBe("body_malformed");
  });

  test("a stream that fails after it exceeded the limit does not end the process", async () => {
    const unpacking = new PassThrough();
    const reading = requestOn(unpacking).readBody(8, unlimited);
    unpacking.write(Buffer.alloc(16));
    const refusal = await refusalOf(reading);
    // Without a listener this would be an uncaught exception.
    unpacking.destroy(new Error("incorrect data check"));
    await setImmediate();
    expect(refusal).toBe("body_too_large");
  });

  test("a body whose first chunk was read elsewhere counts as read already, also if the client hung up then", async () => {
    const stream = new PassThrough();
    stream.write("a");
    await new Promise((resolve) => stream.once("data", resolve));
    stream.pause();
    expect(await refusalOf(requestOn(stream).readBody(10, unlimited))).toBe("body_already_read");
    expect(await refusalOf(requestOn(stream, { body: stream }).readBody(10, unlimited))).toBe("body_already_read");
    expect(await requestOn(stream, { body: { a: 1 } }).readBody(10, unlimited)).toEqual({ parsed: { a: 1 } });
    stream.destroy();
    await setImmediate();
    expect(await refusalOf(requestOn(stream).readBody(10, unlimited))).toBe("body_already_read");
  });

  test("uses exact bytes that the framework kept, up to the limit", async () => {
    const bytes = Buffer.from("kept");
    expect(await requestOn(Readable.from([]), { body: {}, rawBody: bytes }).readBody(4, unlimited)).toEqual({ bytes });
    expect(await requestOn(Readable.from([]), { body: bytes }).readBody(4, unlimited)).toEqual({ bytes });
    expect(await refusalOf(requestOn(Readable.from([]), { rawBody: bytes }).readBody(3, unlimited))).toBe(
      "body_too_large",
    );
  });

  test("is aborted from the beginning if its connection has closed before `closed` was read", () => {
    const request = new IncomingMessage(new Socket());
    const response = Object.defineProperty(new ServerResponse(request), "closed", { value: true });
    expect(createNodeRequest({ request, response, host: {}, url: "/" }).closed.aborted).toBe(true);
  });
});
