import { createServer, type RequestListener, type Server } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { createProxy, type ForwardedRequest } from "../../examples/cluster/proxy.ts";
import { findFreePort } from "../support/free-port.ts";
import { listen } from "../support/listen.ts";

async function portOf(server: Server): Promise<number> {
  const { port, close } = await listen(server);
  onTestFinished(close);
  return port;
}

/** Puts the proxy in front of processes A, B, and so on. One without a listener accepts no connection. */
async function setUp(...listeners: readonly (RequestListener | undefined)[]) {
  const ports = listeners.map((listener) => (listener ? portOf(createServer(listener)) : findFreePort()));
  const targets = (await Promise.all(ports)).map((port, index) => ({ name: "ABC"[index] ?? "", port }));
  const forwarded: ForwardedRequest[] = [];
  const port = await portOf(
    createProxy(
      () => targets,
      (request) => void forwarded.push(request),
    ),
  );
  return { url: `http://127.0.0.1:${port}`, forwarded };
}

/** Answers with the request. */
const echo: RequestListener = async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  response.setHeader("set-cookie", ["a=1", "b=2"]);
  response.end(JSON.stringify({ url: request.url, headers: request.headers, body: body.toString("hex") }));
};

test("visitors and webhooks alternate between the processes, independently of each other", async () => {
  const { url, forwarded } = await setUp(echo, echo);
  for (const path of ["/login", "/webhooks", "/webhooks", "/login"]) await (await fetch(url + path)).text();
  expect(forwarded.map(({ by, path }) => `${by} ${path}`)).toEqual([
    "A /login",
    "A /webhooks",
    "B /webhooks",
    "B /login",
  ]);
});

test("a request that a process refuses goes to the next one, byte for byte", async () => {
  const { url, forwarded } = await setUp(undefined, echo);
  const body = new Uint8Array([0xef, 0xbb, 0xbf, 0xff, 0x00, 0x0d, 0x0a]);
  const answer = await fetch(`${url}/webhooks?a=b`, { method: "POST", body });
  const passed = await answer.json();
  expect(passed).toMatchObject({ url: "/webhooks?a=b", body: Buffer.from(body).toString("hex") });
  expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(forwarded).toEqual([{ by: "B", method: "POST", path: "/webhooks?a=b", status: 200 }]);
});

test("the address that a client claims is replaced by its real one", async () => {
  const { url } = await setUp(echo);
  const answer = await fetch(url, { headers: { "x-forwarded-for": "203.0.113.9" } });
  expect((await answer.json()).headers["x-forwarded-for"]).toBe("127.0.0.1");
});

test("a request ends in the process when its client disconnects", async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const { url } = await setUp((_request, response) => {
    response.once("close", close);
    begin();
  });
  const leaving = new AbortController();
  const asking = fetch(url, { signal: leaving.signal });
  await begun;
  leaving.abort();
  await expect(asking).rejects.toThrow();
  await closed;
});

test("answers 502 when a process dies during a request, and does not repeat the request", async () => {
  const { url, forwarded } = await setUp((request) => request.socket.destroy(), echo);
  expect((await fetch(url, { method: "POST", body: "once" })).status).toBe(502);
  expect(forwarded).toEqual([]);
});
