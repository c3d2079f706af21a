import dns from "node:dns";
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Post } from "../src/webhook/transport.ts";
import { createTransport } from "../src/webhook/transport.ts";
import { createCertificates } from "./support/certificates.ts";

const body = '{"text":"Zürich 😀 €"}';
// Written byte by byte, so that no encoder is tested against itself.
const bodyBytes = Buffer.from("7b2274657874223a225ac3bc7269636820f09f988020e282ac227d", "hex").toString("latin1");

/** Posts to a URL with a new transport. The time limit is long unless a test is about it. */
function post(url: string, changes: Partial<Post> = {}, allowRemote = false) {
  const transport = createTransport({ closed: new AbortController().signal, allowRemote });
  const headers = { "Content-Type": "application/json", "X-Webhook-Signature": "v1=ab" };
  return transport.post({ url, headers, body, timeoutMilliseconds: 60_000, ...changes });
}

async function listen(server: TcpServer, host = "127.0.0.1"): Promise<number> {
  server.listen(0, host);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function serve(listener: RequestListener, host?: string): Promise<{ server: Server; url: string; port: number }> {
  const server = createHttpServer(listener);
  onTestFinished(() => server.closeAllConnections());
  const port = await listen(server, host);
  return { server, port, url: `http://localhost:${port}/webhooks` };
}

/** Starts a TCP server that keeps what arrives on each connection, and then runs the given function. */
async function serveBytes(react: (socket: Socket) => void) {
  const arrived: string[] = [];
  const closed = Promise.withResolvers<void>();
  const server = createTcpServer((socket) => {
    const index = arrived.push("") - 1;
    socket.setEncoding("latin1");
    socket.once("data", () => react(socket));
    socket.on("data", (text: string) => {
      arrived[index] += text;
    });
    socket.on("error", () => {});
    socket.on("close", () => closed.resolve());
    onTestFinished(() => void socket.destroy());
  });
  const port = await listen(server);
  return { arrived, closed: closed.promise, port, url: `http://localhost:${port}/webhooks?a=b` };
}

const answerWith = (text: string) => (socket: Socket) => void socket.end(text);

describe("a POST", () => {
  test("sends the exact bytes of the body over a new connection", async () => {
    const { arrived, port, url } = await serveBytes(answerWith("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
    for (const _ of [1, 2]) {
      expect(await post(url)).toMatchObject({ status: 200, answer: "ok", error: undefined });
    }
    expect(arrived).toHaveLength(2);
    for (const text of arrived) {
      const [head = "", sent] = text.split("\r\n\r\n");
      expect(sent).toBe(bodyBytes);
      const [line, ...headers] = head.split("\r\n");
      expect(line).toBe("POST /webhooks?a=b HTTP/1.1");
      expect(headers.sort()).toEqual([
        "Connection: close",
        "Content-Length: 27",
        "Content-Type: application/json",
        `Host: localhost:${port}`,
        "X-Webhook-Signature: v1=ab",
      ]);
    }
  });

  test("follows no redirect", async () => {
    const reached: unknown[] = [];
    const { url: location } = await serve((request, response) => {
      reached.push(request.url);
      response.end();
    });
    const { url } = await serve((_, response) => void response.writeHead(307, { location }).end());
    expect(await post(url)).toMatchObject({ status: 307 });
    expect(reached).toEqual([]);
  });

  test("ignores informational answers", async () => {
    const { url } = await serveBytes(answerWith("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\nok"));
    expect(await post(url)).toMatchObject({ status: 200, answer: "ok" });
  });
});

test("the answer's body is well-formed text when the limit is inside of a character", async () => {
  const { url } = await serve((_, response) => void response.end(`${"x".repeat(1_999)}😀`));
  expect(await post(url)).toMatchObject({ answer: `${"x".repeat(1_999)}\ufffd` });
});

describe("no answer within the time limit is `timed_out`:", () => {
  const late = { timeoutMilliseconds: 50 };

  test.each([
    ["a silent server", ""],
    ["a server that only answers Continue", "HTTP/1.1 100 Continue\r\n\r\n"],
    ["a status without the end of the headers", "HTTP/1.1 200 OK\r\nA: b\r\n"],
    ["a body without an end", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"],
  ])("%s", async (_, text) => {
    const { closed, url } = await serveBytes((socket) => void socket.write(text));
    expect(await post(url, late)).toMatchObject({ status: undefined, answer: "", error: "timed_out" });
    await closed;
  });

  test("a TLS handshake without an end", async () => {
    const { port } = await serveBytes(() => {});
    expect(await post(`https://localhost:${port}/`, late)).toMatchObject({ error: "timed_out" });
  });
});

describe("no complete answer is `unreachable`:", () => {
  test.each([
    ["the connection ends without an answer", ""],
    ["the connection ends within the answer", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"],
    ["the answer is not HTTP", "220 mail.example.com ESMTP\r\n\r\n"],
    [
      "the server changes the protocol",
      "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
    ],
  ])("%s", async (_, text) => {
    const { url } = await serveBytes(answerWith(text));
    expect(await post(url)).toMatchObject({ status: undefined, answer: "", error: "unreachable" });
  });

  test("the server has no TLS", async () => {
    const { port } = await serve((_, response) => void response.end());
    expect(await post(`https://localhost:${port}/`)).toMatchObject({ error: "unreachable" });
  });

  test("the transport is closed before the post or while it waits for the answer", async () => {
    const closing = new AbortController();
    const transport = createTransport({ closed: closing.signal, allowRemote: false });
    const { url } = await serve(() => closing.abort());
    const attempt = { url, headers: {}, body, timeoutMilliseconds: 60_000 };
    expect(await transport.post(attempt)).toMatchObject({ error: "unreachable" });
    expect(await transport.post(attempt)).toMatchObject({ error: "unreachable" });
  });
});

describe("this machine", () => {
  /** Replaces the machine's resolver and counts the queries. */
  function spyOnResolver() {
    const lookup = vi.spyOn(dns, "lookup").mockImplementation(((...args: unknown[]) => {
      const callback = args.at(-1) as (error: null, addresses: object[]) => void;
      callback(null, [{ address: "127.0.0.1", family: 4 }]);
    }) as typeof dns.lookup);
    onTestFinished(() => lookup.mockRestore());
    return lookup;
  }

  test.each(["localhost", "app.localhost", "a.b.localhost", "LOCALHOST"])(
    "is reached as %s on either address, without a DNS query",
    async (name) => {
      const hosts = ["127.0.0.1", "::1"];
      const servers = await Promise.all(hosts.map((host) => serve((_, response) => void response.end(host), host)));
      const resolver = spyOnResolver();
      for (const [index, { port }] of servers.entries()) {
        for (const allowRemote of [false, true]) {
          const answer = await post(`http://${name}:${port}/`, {}, allowRemote);
          expect(answer).toMatchObject({ status: 200, answer: hosts[index] });
        }
      }
      expect(resolver).not.toHaveBeenCalled();
    },
  );

  test.each(["127.0.0.1", "127.1", "0x7f.1"])("is reached as %s", async (host) => {
    const { port } = await serve((_, response) => void response.end());
    expect(await post(`http://${host}:${port}/`)).toMatchObject({ status: 200 });
  });

  test.each([
    "receiver.test",
    "localhost.receiver.test",
    "notlocalhost",
    "localhost.",
    "127.0.0.1.receiver.test",
    "0.0.0.0",
    "[::]",
    "[::ffff:127.0.0.1]",
    "user:localhost@receiver.test",
  ])("is the only one that is reached, not %s, unless remote webhooks are allowed", async (host) => {
    const connections: Socket[] = [];
    const { server, port } = await serve((_, response) => void response.end());
    const resolver = spyOnResolver();
    server.on("connection", (socket: Socket) => connections.push(socket));
    expect(await post(`http://${host}:${port}/`)).toMatchObject({ status: undefined, error: "not_loopback" });
    expect(await post(`http://${host}:${port}/`, { cut: true })).toMatchObject({ error: "not_loopback" });
    expect(resolver).not.toHaveBeenCalled();
    expect(connections).toEqual([]);
  });

  test("is not the only one with remote webhooks, which use the machine's resolver", async () => {
    const { port } = await serve((_, response) => void response.end());
    const resolver = spyOnResolver();
    expect(await post(`http://receiver.test:${port}/`, {}, true)).toMatchObject({ status: 200 });
    expect(resolver.mock.calls.map(([hostname]) => hostname)).toEqual(["receiver.test"]);
  });
});

test("a self-signed certificate is `bad_certificate` in any environment", async () => {
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { selfSigned } = await createCertificates();
  const bodies: Buffer[] = [];
  const server = createHttpsServer(selfSigned, async (request, response) => {
    bodies.push(...(await request.toArray()));
    response.end("ok");
  });
  onTestFinished(() => server.closeAllConnections());
  const port = await listen(server);
  for (const cut of [false, true]) {
    const answer = await post(`https://localhost:${port}/`, { cut });
    expect(answer).toMatchObject({ status: undefined, answer: "", error: "bad_certificate" });
  }
  expect(bodies).toEqual([]);
});

test("a cut sends the headers with the full length and half of the body, then closes the connection", async () => {
  const { arrived, closed, url } = await serveBytes(() => {});
  expect(await post(url, { cut: true })).toMatchObject({ status: undefined, answer: "", error: "cut" });
  await closed;
  expect(arrived).toHaveLength(1);
  const [head, sent] = (arrived[0] ?? "").split("\r\n\r\n");
  expect(head).toContain("Content-Length: 27");
  expect(sent).toBe(bodyBytes.slice(0, 13));
});

describe("a handler in this process", () => {
  function call(handler: (request: Request) => Response | Promise<Response>, changes: Partial<Post> = {}) {
    const transport = createTransport({ closed: new AbortController().signal, allowRemote: false });
    const url = transport.register(handler);
    const headers = { "Content-Type": "application/json", "X-Webhook-Signature": "v1=ab" };
    return transport.post({ url, headers, body, timeoutMilliseconds: 60_000, ...changes });
  }

  test("receives method, headers and the exact bytes, and answers", async () => {
    const seen: unknown[] = [];
    const answer = await call(async (request) => {
      const bytes = Buffer.from(await request.arrayBuffer()).toString("latin1");
      seen.push(request.method, request.headers.get("content-type"), request.headers.get("x-webhook-signature"), bytes);
      return new Response("no", { status: 409 });
    });
    expect(answer).toMatchObject({ status: 409, answer: "no", error: undefined });
    expect(seen).toEqual(["POST", "application/json", "v1=ab", bodyBytes]);
  });

  test.each([
    ["throws", () => Promise.reject(new Error("no"))],
    [
      "throws before it returns",
      () => {
        throw new Error("no");
      },
    ],
    ["breaks off its answer", () => new Response(new ReadableStream({ start: (body) => body.error(new Error("no")) }))],
  ])("that %s is `handler_threw`", async (_, handler) => {
    expect(await call(handler)).toMatchObject({ status: undefined, answer: "", error: "handler_threw" });
  });

  test.each([
    ["never answers", () => new Promise<Response>(() => {})],
    ["never ends its answer", () => new Response(new ReadableStream())],
  ])("that %s is `timed_out`, and its signal is aborted", async (_, handler) => {
    const signals: AbortSignal[] = [];
    const answer = await call(
      (request) => {
        signals.push(request.signal);
        return handler();
      },
      { timeoutMilliseconds: 1 },
    );
    expect(answer).toMatchObject({ status: undefined, error: "timed_out" });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("can answer endlessly: the beginning is recorded, and the answer is closed", async () => {
    const pull = (controller: ReadableStreamDefaultController) => controller.enqueue(new Uint8Array(999).fill(120));
    expect(await call(() => new Response(new ReadableStream({ pull })))).toMatchObject({ answer: "x".repeat(2_000) });
  });

  test("can answer with a body whose characters are split between chunks", async () => {
    const pieces = new ReadableStream({
      start(controller) {
        for (const bytes of [[0xe2], [0x82, 0xac]]) controller.enqueue(new Uint8Array(bytes));
        controller.close();
      },
    });
    expect(await call(() => new Response(pieces))).toMatchObject({ status: 200, answer: "€" });
  });

  test("is `unreachable` when the transport closes, and is not called after that", async () => {
    const closing = new AbortController();
    const transport = createTransport({ closed: closing.signal, allowRemote: false });
    let calls = 0;
    const url = transport.register(() => {
      calls++;
      closing.abort();
      return new Promise(() => {});
    });
    const attempt = { url, headers: {}, body, timeoutMilliseconds: 60_000 };
    expect(await transport.post(attempt)).toMatchObject({ error: "unreachable" });
    expect(await transport.post(attempt)).toMatchObject({ error: "unreachable" });
    expect(calls).toBe(1);
  });

  test("reads half of the body and then an error after a cut", async () => {
    const seen: unknown[] = [];
    const answer = await call(
      async (request) => {
        // Gives an error that comes too early the time to come.
        await new Promise(setImmediate);
        for await (const chunk of request.body ?? []) seen.push(Buffer.from(chunk).toString("latin1"));
        return new Response();
      },
      { cut: true },
    );
    expect(answer).toMatchObject({ status: undefined, answer: "", error: "cut" });
    expect(seen).toEqual([bodyBytes.slice(0, 13)]);
  });
});
