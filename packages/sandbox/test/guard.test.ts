import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { messageRequest, start } from "./support/start.ts";

/** Sends what `fetch` would not let through: a Host of its own, fetch metadata. */
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
  ["GET", "/"],
  ["GET", "/_sandbox/inbox"],
  ["GET", "/_sandbox/inbox/wait?to=%2B4915112345678"],
  ["GET", "/_sandbox/changes"],
  ["GET", "/_sandbox/deliveries"],
  ["POST", "/_sandbox/endpoints"],
  ["POST", "/_sandbox/reset"],
  ["GET", "/v1/messages"],
  ["POST", "/v1/messages"],
  ["OPTIONS", "/v1/messages"],
  ["GET", "/nowhere"],
] as const;

const key = { "X-API-KEY": "sandbox-api-key", "Content-Type": "application/json" };

describe.each(routes)("%s %s", (method, path) => {
  test.each([
    ["another host", { Host: "evil.example:4010" }],
    ["a name that begins like this machine", { Host: "localhost.evil.example" }],
    ["an address that begins like this machine", { Host: "127.0.0.1.evil.example" }],
    ["credentials before another host", { Host: "localhost@evil.example" }],
    ["another address", { Host: "192.168.0.1" }],
    ["the origin of another site", { Origin: "https://evil.example" }],
    ["the origin of another port", { Origin: "http://127.0.0.1:1" }],
    ["no origin to speak of", { Origin: "null" }],
    [
      "a fetch by another site",
      { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image" },
    ],
    ["a fetch by another port", { "Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "empty" }],
    [
      "a frame in another site",
      { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe" },
    ],
  ])("refuses %s", async (_, headers) => {
    const { sandbox } = await start();
    const { status } = await send(
      `${sandbox.url}${path}`,
      method,
      { ...key, ...headers },
      JSON.stringify(messageRequest()),
    );
    expect([400, 403]).toContain(status);
    expect(sandbox.inbox.list()).toEqual([]);
  });
});

test.each(["localhost", "127.0.0.1", "127.8.8.8", "[::1]"])(
  "answers under the name %s, and to its page",
  async (name) => {
    const { sandbox } = await start();
    const { port } = new URL(sandbox.url);
    const headers = { Host: `${name}:${port}`, Origin: `http://${name}:${port}`, "Sec-Fetch-Site": "same-origin" };
    expect((await send(sandbox.url, "GET", headers)).status).toBe(200);
  },
);

test("opens the page from a link anywhere", async () => {
  const { sandbox } = await start();
  const headers = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
  expect((await send(sandbox.url, "GET", headers)).status).toBe(200);
});

test("lets no other site read an answer, and no cache keep one", async () => {
  const { sandbox } = await start();
  for (const [method, path] of routes.filter(([, path]) => !/changes|wait/.test(path))) {
    const { headers } = await fetch(`${sandbox.url}${path}`, { method, headers: key });
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
  }
});

test("listens on the loopback interface only", async () => {
  const { sandbox } = await start();
  expect(new URL(sandbox.url).hostname).toBe("127.0.0.1");
});
