import type { HttpRequest, HttpResponse, Mount } from "@doorcode/core/adapter";
import { getConnInfo } from "@hono/node-server/conninfo";
import express from "express";
import { Hono } from "hono";
import { describe, expect, onTestFinished, test } from "vitest";
import { serve as onFetch } from "../../packages/core/src/fetch/serve.ts";
import { serve as onExpress } from "../../packages/express/src/serve.ts";
import { serve as onFastify } from "../../packages/fastify/src/serve.ts";
import type { ServedApp } from "./host.ts";
import { serveExpress } from "./serve-express.ts";
import { createFastifyApp } from "./serve-fastify.ts";
import { relay, serveHono } from "./serve-hono.ts";

/** An adapter below its public functions, with any mount of core. */
interface MountHost {
  readonly name: string;
  /** @param proxy - the address whose forwarded headers the app trusts. */
  serve(mount: Mount<unknown>, proxy?: string): Promise<ServedApp>;
}

const expressHost: MountHost = {
  name: "Express",
  async serve(mount, proxy) {
    const app = express();
    if (proxy !== undefined) app.set("trust proxy", proxy);
    app.use("/mount", onExpress(mount));
    return serveExpress(app);
  },
};

const fastifyHost: MountHost = {
  name: "Fastify",
  async serve(mount, proxy) {
    const { app, serve } = createFastifyApp(proxy === undefined ? {} : { trustProxy: proxy });
    await app.register(onFastify(mount), { prefix: "/mount" });
    return serve();
  },
};

const fetchHost: MountHost = {
  name: "Hono, through core/fetch",
  async serve(mount) {
    const handle = onFetch(mount, "/mount");
    const app = new Hono();
    app.use("/mount/*", async (c, next) =>
      relay(c, next, await handle(c.req.raw, { remoteAddress: getConnInfo(c).remote.address })),
    );
    return serveHono(app);
  },
};

const hosts = [expressHost, fastifyHost, fetchHost];

function answerOf(body: HttpResponse["body"] & {}): HttpResponse {
  return { status: 200, headers: { "content-type": "text/event-stream", connection: "close" }, cookies: [], body };
}

function mountOf(answer: (request: HttpRequest) => HttpResponse, close: () => void = () => {}): Mount<unknown> {
  return { paths: ["/"], handle: async (request) => answer(request), close };
}

async function served(host: MountHost, mount: Mount<unknown>, proxy?: string): Promise<ServedApp> {
  const app = await host.serve(mount, proxy);
  onTestFinished(app.close);
  return app;
}

describe.each(hosts)("a stream on $name", (host) => {
  test("arrives chunk by chunk, and `closed` aborts when the client disconnects", async () => {
    const { promise: left, resolve } = Promise.withResolvers<void>();
    async function* untilClosed(closed: AbortSignal) {
      closed.addEventListener("abort", () => resolve());
      yield "data: first\n\n";
      await left;
    }
    const { url, faults } = await served(
      host,
      mountOf(({ closed }) => answerOf(untilClosed(closed))),
    );
    const client = new AbortController();
    const response = await fetch(`${url}/mount`, { signal: client.signal });
    const first = await response.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toBe("data: first\n\n");
    client.abort();
    await left;
    expect(faults).toEqual([]);
  });

  test("does not start for HEAD", async () => {
    let begun = false;
    async function* chunks() {
      begun = true;
      yield "data: first\n\n";
    }
    const { url } = await served(
      host,
      mountOf(() => answerOf(chunks())),
    );
    const response = await fetch(`${url}/mount`, { method: "HEAD" });
    expect([response.status, await response.text(), begun]).toEqual([200, "", false]);
  });

  test("that fails closes the connection, so that clients notice the missing rest", async () => {
    async function* breaking() {
      yield "data: first\n\n";
      throw new Error("The source broke.");
    }
    const { url } = await served(
      host,
      mountOf(() => answerOf(breaking())),
    );
    const response = await fetch(`${url}/mount`);
    await expect(response.text()).rejects.toThrow();
  });
});

describe("event streams and the end of a Fastify app", () => {
  test("close() of the mount runs before the server waits for its connections", async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    async function* untilClose() {
      yield "data: first\n\n";
      await closed;
    }
    const mount = mountOf(() => answerOf(untilClose()), resolve);
    const { app, serve } = createFastifyApp();
    await app.register(onFastify(mount), { prefix: "/mount" });
    const { url } = await serve();
    const response = await fetch(`${url}/mount`);
    await Promise.all([app.close(), response.text()]);
  });
});

describe.each([expressHost, fastifyHost])("the client's address on $name", (host) => {
  const mount = mountOf(({ remoteAddress }) => answerOf(String(remoteAddress)));
  const forwarded = { "x-forwarded-for": "203.0.113.7, 198.51.100.9" };

  test("L13: is that of the connection, whatever the client sends, unless the app trusts a proxy", async () => {
    const { url } = await served(host, mount);
    expect(await (await fetch(`${url}/mount`, { headers: forwarded })).text()).toBe("127.0.0.1");
  });

  test("L13: is the one that the trusted proxy saw, not the one that the client sent", async () => {
    const { url } = await served(host, mount, "127.0.0.1");
    expect(await (await fetch(`${url}/mount`, { headers: forwarded })).text()).toBe("198.51.100.9");
  });
});
