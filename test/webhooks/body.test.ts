import { Agent, type ClientRequest, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { hosts } from "../support/hosts.ts";
import { places } from "../support/places.ts";
import { messageEvent, secondsOf, setUpWebhooks, signed, typesOf } from "./webhook-bench.ts";
import { answerTo, beginPost, type HeaderLines } from "./wire.ts";

/** Written again after parsing, this is the same text: whoever signs that would find the signature right. */
const body = JSON.stringify(messageEvent("SENT"));
const declared = ["content-length", String(Buffer.byteLength(body))] as const;

describe.each(hosts)("a body that was read before, on $name", (host) => {
  test.each<{ what: string; left: (bytes: Buffer) => object }>([
    { what: "nothing is left of it", left: () => ({}) },
    { what: "its members are left", left: (bytes) => ({ body: JSON.parse(bytes.toString()) }) },
    { what: "its text is left", left: (bytes) => ({ body: bytes.toString() }) },
  ])("W5: is answered at once by name, and never signed anew, when $what", async ({ left }) => {
    const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
    onTestFinished(() => warn.mockRestore());
    const { server, deliver, calls, events } = await setUpWebhooks(host);
    readBodiesFirst(server, (request, bytes) => void Object.assign(request, left(bytes)));
    const answers = [await deliver(messageEvent("SENT")), await deliver(messageEvent("SENT"))];

    expect(answers.map(({ status, code }) => [status, code])).toEqual([
      [500, "body_already_read"],
      [500, "body_already_read"],
    ]);
    expect(answers[0]?.text).toContain("express.json()");
    expect(typesOf(events)).toEqual(["webhook.body_already_read", "webhook.body_already_read"]);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(calls).toEqual([]);
  });
});

describe.each(hosts)("exact bytes on $name", (host) => {
  /** No parser and serialiser gives this back as it came. */
  const odd =
    '{ "data":{"message_id":"m1","status":"Grüße 😀","n":1.0 ,"n":2e0},\r\n"event":"message.status.update" }\n';

  test.each([
    "application/json",
    "application/json; charset=utf-16le",
    "application/json; charset=iso-8859-1",
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
  ])("W6: are hashed, and read as UTF-8, under the content type %s", async (type) => {
    const { send, calls, clock } = await setUpWebhooks(host);
    const [, ...signature] = signed(odd, secondsOf(clock));
    const answer = await send([["content-type", type], ...signature], odd);

    expect(answer.status).toBe(204);
    expect(calls.map((event) => event.data)).toEqual([{ message_id: "m1", status: "Grüße 😀", n: 2 }]);
  });

  test.each(["gzip", "br", "deflate"])("W6: are not there under the encoding %s, whatever was signed", async (name) => {
    const { send, calls, clock } = await setUpWebhooks(host);
    const packed = gzipSync(body);
    const encoding = ["content-encoding", name] as const;
    const overPacked = await send([encoding, ...signed(packed, secondsOf(clock))], packed);
    const overPlain = await send([encoding, ...signed(body, secondsOf(clock))], packed);

    for (const { status, code } of [overPacked, overPlain]) {
      expect([status, code]).toEqual([415, "media_type_unsupported"]);
    }
    expect(calls).toEqual([]);
  });
});

describe.each(hosts)("the size of a body on $name", (host) => {
  const limitBytes = 1024;
  const padded = (totalBytes: number) => body.padEnd(totalBytes);

  test("W7: as many bytes as the limit are taken, one more is refused", async () => {
    const { send, clock, calls } = await setUpWebhooks(host, { limitBytes });
    const [atLimit, over] = [padded(limitBytes), padded(limitBytes + 1)];
    const taken = await send(signed(atLimit, secondsOf(clock)), atLimit);
    const refused = await send(signed(over, secondsOf(clock)), over);

    expect(taken.status).toBe(204);
    expect([refused.status, refused.code]).toEqual([413, "body_too_large"]);
    expect(calls).toHaveLength(1);
  });

  test("W7: the kit's limit counts, also above the framework's own", async () => {
    const { send, clock } = await setUpWebhooks(host, { limitBytes: 4_194_304 });
    const large = padded(2_097_152);

    expect((await send(signed(large, secondsOf(clock)), large)).status).toBe(204);
  });

  test.each<{ how: string; lines: HeaderLines }>([
    { how: "in chunks", lines: [] },
    { how: "with its length", lines: [["content-length", "1000000000"]] },
  ])("W7: a body without end, sent $how, is refused while it is coming, and read no further", async ({ lines }) => {
    const { url, server, clock, calls } = await setUpWebhooks(host, { limitBytes });
    const post = beginPost(url, [...lines, ...signed(body, secondsOf(clock))]);
    const arriving = nextExchange(server);
    const answered = answerTo(post);
    for (let written = 0; written < 64; written++) post.write(Buffer.alloc(262_144));
    const { socket } = await arriving;
    const closed = closing(socket);
    const answer = await answered;
    await closed;

    expect([answer.status, answer.code]).toEqual([413, "body_too_large"]);
    expect(answer.headers.connection).toBe("close");
    expect(socket.bytesRead).toBeLessThan(1_048_576);
    expect(await connectionsOf(server)).toBe(0);
    expect(calls).toEqual([]);
  });
});

describe.each(hosts)("a client that hangs up, on $name", (host) => {
  test.each<{ where: string; lines: HeaderLines; write: (post: ClientRequest) => void }>([
    { where: "before the first byte", lines: [declared], write: (post) => post.flushHeaders() },
    { where: "in the middle", lines: [declared], write: (post) => void post.write(body.slice(0, 20)) },
    { where: "one byte before the end", lines: [declared], write: (post) => void post.write(body.slice(0, -1)) },
    { where: "before the first chunk", lines: [], write: (post) => post.flushHeaders() },
    { where: "before the chunk that ends the body", lines: [], write: (post) => void post.write(body) },
  ])("W7: $where, leaves nothing behind, twenty times over", async ({ lines, write }) => {
    const { url, server, clock, deliver, calls, events } = await setUpWebhooks(host);
    const oddities = watchProcess();
    const responses: ServerResponse[] = [];
    for (let client = 0; client < 20; client++) {
      const arriving = nextExchange(server);
      const post = beginPost(url, [...lines, ...signed(body, secondsOf(clock))]);
      write(post);
      const { socket, response } = await arriving;
      responses.push(response);
      const closed = closing(socket);
      post.destroy();
      await closed;
    }
    const connections = await connectionsOf(server);
    const next = await deliver(messageEvent("SENT"));

    expect(connections).toBe(0);
    // Ended, though nobody reads it: the work on the request is over.
    expect(responses.filter((response) => !response.writableEnded)).toEqual([]);
    expect(next.status).toBe(204);
    expect(typesOf(events)).toEqual(["webhook.handled"]);
    expect(calls).toHaveLength(1);
    expect(clock.pending).toBe(0);
    expect(oddities).toEqual([]);
  });

  test("W7: twenty deliveries over one connection leave no listener on it", async () => {
    const { url, server, clock, calls } = await setUpWebhooks(host);
    const oddities = watchProcess();
    let connections = 0;
    server.on("connection", () => void connections++);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    for (let delivery = 0; delivery < 20; delivery++) {
      const post = beginPost(url, [declared, ...signed(body, secondsOf(clock))], agent);
      post.end(body);
      expect((await answerTo(post)).status).toBe(204);
    }

    expect(connections).toBe(1);
    expect(calls).toHaveLength(1);
    expect(oddities).toEqual([]);
  });
});

describe.each(places)("a client that hangs up while its event is handled, on $name", (place) => {
  test("W7: changes nothing: the event is handled once", async () => {
    const working = createBarrier();
    const { url, server, clock, deliver, calls, events } = await setUpWebhooks(place, { handle: () => working.pass() });
    const oddities = watchProcess();
    const arriving = nextExchange(server);
    const post = beginPost(url, [declared, ...signed(body, secondsOf(clock))]);
    post.end(body);
    await working.arrived(1);
    const closed = closing((await arriving).socket);
    post.destroy();
    await closed;
    working.open();
    const redelivered = await deliver(messageEvent("SENT"));

    expect(redelivered.status).toBe(204);
    expect(calls).toHaveLength(1);
    expect(typesOf(events)).toEqual(["webhook.handled", "webhook.duplicate"]);
    expect(oddities).toEqual([]);
  });
});

/** Reads every body before the framework sees its request, as a logger or a parser in front of it does. */
function readBodiesFirst(server: Server, leave: (request: IncomingMessage, bytes: Buffer) => void): void {
  const listeners = server.listeners("request");
  server.removeAllListeners("request");
  server.on("request", async (request, response) => {
    leave(request, Buffer.concat(await request.toArray()));
    for (const listener of listeners) listener.call(server, request, response);
  });
}

/** Resolves to the next exchange, as it is below the framework. */
function nextExchange(server: Server): Promise<{ readonly socket: Socket; readonly response: ServerResponse }> {
  return new Promise((resolve) => {
    server.once("request", ({ socket }, response) => resolve({ socket, response }));
  });
}

/** Resolves when the connection is closed, in whatever way. */
function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

/** Notes warnings, such as of listeners that pile up, and rejections that nobody handles. */
function watchProcess(): readonly unknown[] {
  const oddities: unknown[] = [];
  const note = (oddity: unknown) => void oddities.push(oddity);
  process.on("warning", note).on("unhandledRejection", note);
  onTestFinished(() => void process.off("warning", note).off("unhandledRejection", note));
  return oddities;
}
