import { once } from "node:events";
import { connect, type OutgoingHttpHeaders } from "node:http2";
import type { AddressInfo } from "node:net";
import type { Doorcode } from "@doorcode/core";
import { getSession, phoneLogin, requireLogin, webhooks } from "@doorcode/fastify";
import fastify, { type FastifyInstance } from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { createKit, type KitOptions, phone, signed } from "./adapter-setup.ts";

/** An answer with its body. */
interface Http2Answer {
  readonly status: unknown;
  readonly json: Record<string, unknown>;
}

/** Serves a kit over HTTP/2 without TLS, and sends requests with exactly the given headers. */
async function setUpHttp2(options: KitOptions = {}) {
  const kit = await createKit(options);
  const app = await serveHttp2(kit.doorcode);
  const { port } = app.server.address() as AddressInfo;
  const session = connect(`http://127.0.0.1:${port}`);
  onTestFinished(async () => {
    session.destroy();
    await app.close();
  });
  async function send(path: string, headers: OutgoingHttpHeaders, body?: string): Promise<Http2Answer> {
    const stream = session.request({ ":path": path, ":method": body === undefined ? "GET" : "POST", ...headers });
    const { promise: answered, resolve, reject } = Promise.withResolvers<unknown>();
    stream.on("response", ({ ":status": status }) => resolve(status)).on("error", reject);
    stream.end(body);
    const status = await answered;
    const text = Buffer.concat(await stream.toArray()).toString();
    return { status, json: text.startsWith("{") ? JSON.parse(text) : {} };
  }
  return { ...kit, session, send };
}

async function serveHttp2(doorcode: Doorcode): Promise<FastifyInstance> {
  // Plugins and hooks of Fastify have the types of HTTP/1.
  const app = fastify({ http2: true }) as unknown as FastifyInstance;
  await app.register(phoneLogin(doorcode), { prefix: "/login" });
  await app.register(webhooks(doorcode), { prefix: "/webhooks" });
  app.get("/account", { preHandler: requireLogin(doorcode) }, async () => ({}));
  app.get("/who", async (request) => ({ userId: (await getSession(doorcode, request))?.userId ?? null }));
  await app.listen({ port: 0, host: "127.0.0.1" });
  return app;
}

const json = { "content-type": "application/json" };
const start = JSON.stringify({ phone });

const origins = ["https://app.example.com"];
const served = [200, undefined];
const refused = [403, "host_not_allowed"];
const hosts: readonly [OutgoingHttpHeaders, origins: string[] | undefined, expected: unknown[]][] = [
  [{ ":authority": "localhost:3000" }, undefined, served],
  [{ host: "localhost:3000" }, undefined, served],
  [{ ":authority": "localhost:3000", host: "LocalHost:3000" }, undefined, served],
  [{ ":authority": "app.example.com" }, undefined, refused],
  [{ ":authority": "app.example.com", host: "localhost:3000" }, undefined, refused],
  [{ ":authority": "localhost:3000", host: "app.example.com" }, undefined, refused],
  [{ ":authority": "localhost:3000", host: "127.0.0.1:3000" }, undefined, refused],
  [{ ":authority": "localhost:3000", host: "localhost:4000" }, undefined, refused],
  [{ ":authority": "app.example.com" }, origins, served],
  [{ ":authority": "app.example.com", host: "app.example.com" }, origins, served],
  [{ ":authority": "app.example.com", host: "other.example.com" }, origins, refused],
  [{ ":authority": "other.example.com", host: "app.example.com" }, origins, refused],
];

describe("over HTTP/2", () => {
  test.each(hosts)("L32: a login for %j with the origins %j is answered %j", async (headers, listed, expected) => {
    const { send, service } = await setUpHttp2(listed ? { options: { origins: listed } } : {});
    const started = await send("/login/start", { ...json, ...headers }, start);
    const state = await send("/login/state", headers);

    expect([started, state].map(({ status, json: { code } }) => [status, code])).toEqual([expected, expected]);
    expect(service.created).toHaveLength(expected === served ? 1 : 0);
  });

  test.each([undefined, origins])("L32: a session is read for one host only, with the origins %j", async (listed) => {
    const { doorcode, send } = await setUpHttp2(listed ? { options: { origins: listed } } : {});
    const { setCookie } = await doorcode.session.start({ userId: "user_1" });
    const cookie = setCookie.split(";")[0];
    const [own, other] = ["localhost:3000", "app.example.com"];
    const oneHost = await send("/account", { cookie, ":authority": own });
    const twoHosts = [
      await send("/account", { cookie, ":authority": own, host: other }),
      await send("/account", { cookie, ":authority": other, host: own }),
    ];
    const read = await send("/who", { cookie, ":authority": other, host: own });

    expect(oneHost.status).toBe(200);
    expect(twoHosts.map(({ status, json: { code } }) => [status, code])).toEqual([refused, refused]);
    expect(read.status).not.toBe(200);
  });

  test.each([
    ["too large", 100_000, [413, "body_too_large"]],
    ["too slow", 10, [408, "body_too_slow"]],
  ])("W19: the stream of a body that is %s ends with the answer", async (_what, bytes, expected) => {
    const { clock, session } = await setUpHttp2();
    const stream = session.request({ ":path": "/webhooks", ":method": "POST", ...signed("{}", clock.now()) });
    const answered = once(stream, "response");
    const closed = once(stream, "close");
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
    stream.write(Buffer.alloc(bytes));
    await expect.poll(() => clock.pending).toBe(expected[0] === 408 ? 1 : 0);
    await clock.advance(5000);
    const [{ ":status": status }] = await answered;
    await closed;
    const { code } = JSON.parse(Buffer.concat(chunks).toString());
    expect([status, code]).toEqual(expected);
  });

  test("L32: a delivery is read for any host, because its signature shows where it comes from", async () => {
    const { clock, send, handled } = await setUpHttp2();
    const body = JSON.stringify({ event: "message.status.update", data: { message_id: "m1" } });
    const delivered = await send(
      "/webhooks",
      { ...signed(body, clock.now()), ":authority": "tunnel.example.com" },
      body,
    );
    expect([delivered.status, handled]).toEqual([204, [{ message_id: "m1" }]]);
  });
});
