import type { HttpRequest, HttpResponse, Mount } from "@doorcode/core/adapter";
import { getConnInfo } from "@hono/node-server/conninfo";
import { Hono } from "hono";
import { describe, expect, onTestFinished, test } from "vitest";
import { serve as onExpress } from "../../packages/express/src/serve.ts";
import { serve as onFastify } from "../../packages/fastify/src/serve.ts";
import { serve as onFetch } from "../../packages/fetch/src/serve.ts";
import { type ExpressVersion, expressVersions } from "../support/express-versions.ts";
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

const expressHostOf = ({ name, express }: ExpressVersion): MountHost => ({
  name,
  async serve(mount, proxy) {
    const app = express();
    if (proxy !== undefined) app.set("trust proxy", proxy);
    app.use("/mount", onExpress(mount));
    return serveExpress(app);
  },
});

const expressHosts = expressVersions.map(expressHostOf);

const fastifyHost: MountHost = {
  name: "Fastify",
  async serve(mount, proxy) {
    const { app, serve } = createFastifyApp(proxy === undefined ? {} : { trustProxy: proxy });
    await app.register(onFastify(mount), { prefix: "/mount" });
    return serve();
  },
};

const fetchHost: MountHost = {
  name: "Hono, through @doorcode/fetch",
  async serve(mount) {
    const handle = onFetch(mount, "/mount");
    const app = new Hono();
    app.use("/mount/*", async (c, next) =>
      relay(c, next, await handle(c.req.raw, { remoteAddress: getConnInfo(c).remote.address })),
    );
    return serveHono(app);
  },
};

const hosts = [...expressHosts, fastifyHost, fetchHost];

function answerOf(body: string): HttpResponse {
  return { status: 200, headers: { "content-type": "text/plain" }, cookies: [], body };
}

function mountOf(
  answer: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>,
  close: () => void = () => {},
): Mount<unknown> {
  return { paths: ["/"], handle: async (request) => answer(request), close };
}

async function served(host: MountHost, mount: Mount<unknown>, proxy?: string): Promise<ServedApp> {
  const app = await host.serve(mount, proxy);
  onTestFinished(app.close);
  return app;
}

describe.each(hosts)("an answer that waits, on $name", (host) => {
  test("`closed` aborts when the client disconnects, and the late answer is no error of the app", async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const { url, faults } = await served(
      host,
      mountOf(async ({ closed }) => {
        closed.addEventListener("abort", () => leave());
        ask();
        await left;
        return answerOf("late");
      }),
    );
    const client = new AbortController();
    const response = fetch(`${url}/mount`, { signal: client.signal }).catch(() => "gone");
    await asked;
    client.abort();
    await left;
    expect(await response).toBe("gone");
    expect(faults).toEqual([]);
  });
});

describe("answers that wait and the end of a Fastify app", () => {
  test("close() of the mount runs before the server waits for its connections", async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    const mount = mountOf(async () => {
      ask();
      await closed;
      return answerOf("the end");
    }, close);
    const { app, serve } = createFastifyApp();
    await app.register(onFastify(mount), { prefix: "/mount" });
    const { url } = await serve();
    const response = fetch(`${url}/mount`);
    await asked;
    await app.close();
    expect(await (await response).text()).toBe("the end");
  });
});
