import { request } from "node:http";
import { expect, test } from "vitest";
import { listRoutes, pathOf } from "./support/routes.ts";
import { messageRequest, start } from "./support/start.ts";

/** Sends headers that `fetch` does not allow: any Host, and fetch metadata. */
function send(
  url: string,
  method: string,
  headers: Record<string, string>,
  body = "",
): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const outgoing = request(url, { method, headers, agent: false }, async (incoming) => {
    let text = "";
    for await (const chunk of incoming) text += chunk;
    resolve({ status: incoming.statusCode ?? 0, text });
  });
  outgoing.on("error", reject).end(body);
  return promise;
}

const routes = [
  ...(await listRoutes()),
  { method: "OPTIONS", path: "/v1/messages" },
  { method: "OPTIONS", path: "/_sandbox/reset" },
  { method: "GET", path: "/nowhere" },
];

const key = { "X-API-KEY": "sandbox-api-key", "Content-Type": "application/json" };

test("covers the routes of the page, the API and the control API", () => {
  const known = routes.map(({ method, path }) => `${method} ${path}`);
  const some = ["GET /", "POST /v1/verifications", "DELETE /_sandbox/api_key", "POST /_sandbox/clock/advance"];
  expect(known).toEqual(expect.arrayContaining(some));
  expect(known.length).toBeGreaterThan(60);
});

function isRefused(status: number, text: string): boolean {
  return status === 400 || (status === 403 && /request\.foreign_(host|origin)/.test(text));
}

test.each([
  ["another host", { Host: "evil.example:4010" }],
  ["the origin of another site", { Origin: "https://evil.example" }],
])("every route refuses %s, and changes nothing", async (_, headers) => {
  const { sandbox } = await start();
  const secret = sandbox.env;
  const body = JSON.stringify(messageRequest());
  const taken: string[] = [];
  for (const route of routes) {
    const { status, text } = await send(`${sandbox.url}${pathOf(route)}`, route.method, { ...key, ...headers }, body);
    if (!isRefused(status, text)) taken.push(`${route.method} ${route.path}: ${status}`);
  }
  expect(taken).toEqual([]);
  expect([sandbox.inbox.list(), sandbox.endpoints.list(), sandbox.applications().length]).toEqual([[], [], 1]);
  expect(sandbox.env).toEqual(secret);
});

test.each([
  ["a name that begins like this machine", { Host: "localhost.evil.example" }],
  ["an address that begins like this machine", { Host: "127.0.0.1.evil.example" }],
  ["credentials before another host", { Host: "localhost@evil.example" }],
  ["another address", { Host: "192.168.0.1" }],
  ["any address", { Host: "0.0.0.0" }],
  ["an allowed name with a suffix", { Host: "sandbox.test.evil.example" }],
  ["an allowed name with a prefix", { Host: "evil-sandbox.test" }],
  ["the origin of another port", { Origin: "http://127.0.0.1:1" }],
  ["the origin of another name of this machine", { Origin: "http://sandbox.test" }],
  ["the origin null", { Origin: "null" }],
  ["an empty origin", { Origin: "" }],
  [
    "a fetch by another site",
    { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image" },
  ],
  ["a fetch by another port", { "Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "empty" }],
  [
    "a frame in another site",
    { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe" },
  ],
  [
    "a form of another site",
    { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document" },
  ],
  ["a form of another site without its origin", { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document" }],
])("refuses %s", async (_, headers) => {
  const { sandbox } = await start({ allowedHosts: ["sandbox.test"] });
  const { status, text } = await send(`${sandbox.url}/_sandbox/reset`, "POST", headers);
  expect([status, text]).toSatisfy(() => isRefused(status, text));
});

test.each(["localhost", "LOCALHOST", "app.localhost", "127.0.0.1", "127.8.8.8", "[::1]"])(
  "accepts the name %s, and the page at that name",
  async (name) => {
    const { sandbox } = await start();
    const { port } = new URL(sandbox.url);
    const headers = { Host: `${name}:${port}`, Origin: `http://${name}:${port}`, "Sec-Fetch-Site": "same-origin" };
    expect((await send(sandbox.url, "GET", headers)).status).toBe(200);
  },
);

test.each(["sandbox.test", "SANDBOX.test:80", "sandbox.test:4010"])(
  "accepts an allowed name, and the page at that name: %s",
  async (host) => {
    const { sandbox } = await start({ allowedHosts: ["Sandbox.test"] });
    const reset = `${sandbox.url}/_sandbox/reset`;
    const status = async (headers: Record<string, string>) => (await send(reset, "POST", headers)).status;
    expect(await status({ Host: host })).toBe(204);
    expect(await status({ Host: host, Origin: `http://${host}`, "Sec-Fetch-Site": "same-origin" })).toBe(204);
    expect(await status({ Host: host, Origin: sandbox.url })).toBe(403);
  },
);

test("also applies without a port", async () => {
  const { sandbox } = await start({ port: "none" });
  const status = async (url: string, headers = {}) => (await sandbox.fetch(new Request(url, { headers }))).status;
  expect(await status(`${sandbox.url}/_sandbox/inbox`)).toBe(200);
  expect(await status("http://evil.example/_sandbox/inbox")).toBe(403);
  expect(await status(`${sandbox.url}/_sandbox/inbox`, { Origin: "https://evil.example" })).toBe(403);
});

test("allows a link to the page from any site", async () => {
  const { sandbox } = await start();
  const headers = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
  expect((await send(sandbox.url, "GET", headers)).status).toBe(200);
});

test("lets no other site read an answer and no cache keep one, on any route", async () => {
  const { sandbox } = await start();
  for (const route of routes.filter(({ path }) => !/changes|wait/.test(path))) {
    const { headers } = await fetch(`${sandbox.url}${pathOf(route)}`, { method: route.method, headers: key });
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
});

test("listens only on the loopback interface", async () => {
  const { sandbox } = await start();
  expect(new URL(sandbox.url).hostname).toBe("127.0.0.1");
});
