import type { Doorcode } from "@doorcode/core";
import type { Mount } from "@doorcode/core/adapter";
import { phoneLogin as onExpress } from "@doorcode/express";
import { phoneLogin as onFastify } from "@doorcode/fastify";
import { phoneLogin as onFetch } from "@doorcode/fetch";
import { getConnInfo } from "@hono/node-server/conninfo";
import type { FastifyServerOptions } from "fastify";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, type MockInstance, onTestFinished, test, vi } from "vitest";
import { parseClientAddress } from "../../packages/core/src/util/client.ts";
import { serve as serveOnExpress } from "../../packages/express/src/serve.ts";
import { serve as serveOnFastify } from "../../packages/fastify/src/serve.ts";
import { serve as serveOnFetch } from "../../packages/fetch/src/serve.ts";
import { openBrowser } from "../support/browser.ts";
import { type ExpressVersion, expressVersions } from "../support/express-versions.ts";
import { startHttpProxy } from "../support/http-proxy.ts";
import { createKit, type Kit, phone } from "./adapter-setup.ts";
import type { ServedApp } from "./host.ts";
import { serveExpress } from "./serve-express.ts";
import { createFastifyApp } from "./serve-fastify.ts";
import { relay, serveHono } from "./serve-hono.ts";

/** What an app believes of its proxies, in the words of its framework. */
type Trust = "nobody" | "the proxy" | "everybody" | "every network" | "one proxy, by number";

/** A framework, and an app on it with two mounts of a login: `/login` and `/other`. */
interface ProxiedHost {
  readonly name: string;
  /** The words of the warning that name the framework's setting. */
  readonly fix: RegExp;
  serve(doorcode: Doorcode, trust: Trust): Promise<ServedApp>;
}

/** Answers the client that the kit counts. */
const whoAsks: Mount<unknown> = {
  paths: ["/"],
  handle: async ({ remoteAddress }) => ({
    status: 200,
    headers: {},
    cookies: [],
    body: JSON.stringify(parseClientAddress(remoteAddress)),
  }),
  close() {},
};

const settings: Readonly<Record<Trust, boolean | string | number>> = {
  nobody: false,
  "the proxy": "127.0.0.1",
  everybody: true,
  "every network": "0.0.0.0/1, 128.0.0.0/1",
  "one proxy, by number": 1,
};

const expressHostOf = ({ name, express }: ExpressVersion): ProxiedHost => ({
  name,
  fix: /Set trust proxy to the address of your proxy/,
  serve(doorcode, trust) {
    const app = express();
    app.set("trust proxy", settings[trust]);
    app.use("/login", onExpress(doorcode));
    app.use("/other", onExpress(doorcode));
    app.use("/client", serveOnExpress(whoAsks));
    return serveExpress(app);
  },
});

const expressHosts = expressVersions.map(expressHostOf);

const fastifyHost: ProxiedHost = {
  name: "Fastify",
  fix: /Set trustProxy to the address of your proxy/,
  async serve(doorcode, trust) {
    // Its types have no number any more; apps still have one.
    const trustProxy = settings[trust] as NonNullable<FastifyServerOptions["trustProxy"]>;
    const { app, serve } = createFastifyApp({ trustProxy });
    await app.register(onFastify(doorcode), { prefix: "/login" });
    await app.register(onFastify(doorcode), { prefix: "/other" });
    await app.register(serveOnFastify(whoAsks), { prefix: "/client" });
    return serve();
  },
};

const fetchHost: ProxiedHost = {
  name: "Hono, through @doorcode/fetch",
  fix: /Pass the client's address to the mount/,
  serve(doorcode, trust) {
    const app = new Hono();
    const handlers = {
      login: onFetch(doorcode, { basePath: "/login" }),
      other: onFetch(doorcode, { basePath: "/other" }),
      client: serveOnFetch(whoAsks, "/client"),
    };
    for (const [path, handle] of Object.entries(handlers)) {
      app.use(`/${path}/*`, async (c, next) => {
        const forwarded = trust === "nobody" ? undefined : c.req.header("x-forwarded-for")?.split(",").at(-1)?.trim();
        const remoteAddress = forwarded ?? getConnInfo(c).remote.address;
        return relay(c, next, await handle(c.req.raw, { remoteAddress }));
      });
    }
    return serveHono(app);
  },
};

const hosts = [...expressHosts, fastifyHost, fetchHost];
const clientAddress = "2001:db8:0:1:aaaa:bbbb:cccc:dddd";
const ofClient = { address: "2001:db8:0:1::/64", network: "2001:db8:0::/48" };
const ofProxy = { address: "127.0.0.1", network: "127.0.0.0/24" };

let warn: MockInstance<typeof process.emitWarning>;

beforeEach(() => {
  warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
});

afterEach(() => void vi.restoreAllMocks());

async function serveKit(host: ProxiedHost, trust: Trust): Promise<Kit & { readonly url: string }> {
  const kit = await createKit();
  const app = await host.serve(kit.doorcode, trust);
  onTestFinished(app.close);
  return Object.assign(kit, { url: app.url });
}

const start = (url: string, path = "/login") => openBrowser(url).post(`${path}/start`, { phone });
const whoAsksAt = async (url: string) => (await fetch(`${url}/client`)).json();
const mistakesOf = ({ events }: Kit) =>
  events.flatMap((event) => (event.type === "login.proxy_misconfigured" ? [event.mistake] : []));

/** The texts of the warnings about proxies. */
function warnings(): readonly string[] {
  return warn.mock.calls.flatMap(([text, options]) =>
    (options as { readonly code?: string } | undefined)?.code === "proxy_misconfigured" ? [String(text)] : [],
  );
}

describe.each(hosts)("a login behind a proxy on $name", (host) => {
  test("L13: an app that does not know its proxy counts the proxy, and each mount warns once with the fix", async () => {
    const kit = await serveKit(host, "nobody");
    const proxy = await startHttpProxy(kit.url, clientAddress);
    expect((await start(proxy)).status).toBe(200);
    for (const path of ["/login", "/other", "/other"]) await start(proxy, path);

    expect(await whoAsksAt(proxy)).toEqual(ofProxy);
    expect(warnings()).toEqual(Array(2).fill(expect.stringMatching(host.fix)));
    expect(mistakesOf(kit)).toEqual(["header_ignored", "header_ignored"]);
  });

  test.each([clientAddress, "192.168.1.20"])(
    "L13: an app that knows its proxy counts the client %s, and is not warned",
    async (address) => {
      const kit = await serveKit(host, "the proxy");
      const proxy = await startHttpProxy(kit.url, address);
      await start(proxy);
      expect(await whoAsksAt(proxy)).toEqual(parseClientAddress(address));
      expect([warnings(), mistakesOf(kit)]).toEqual([[], []]);
    },
  );

  test("L13: an app without a proxy is not warned", async () => {
    const kit = await serveKit(host, "nobody");
    await start(kit.url);
    expect(await whoAsksAt(kit.url)).toEqual(ofProxy);
    expect([warnings(), mistakesOf(kit)]).toEqual([[], []]);
  });
});

describe.each([...expressHosts, fastifyHost])("a login on $name", (host) => {
  test.each(["everybody", "every network"] as const)(
    "L13: an app that trusts %s is warned at the first start",
    async (trust) => {
      const kit = await serveKit(host, trust);
      await start(kit.url);
      await start(kit.url);
      expect(warnings()).toEqual([expect.stringMatching(host.fix)]);
      expect(mistakesOf(kit)).toEqual(["trusts_everybody"]);
      const forged = await fetch(`${kit.url}/client`, { headers: { "x-forwarded-for": clientAddress } });
      expect(await forged.json()).toEqual(ofClient);
    },
  );
});

describe("a number of proxies", () => {
  test.each(expressHosts)("L13: is believed by $name, and one proxy too many is a warning", async (host) => {
    const kit = await serveKit(host, "one proxy, by number");
    const proxy = await startHttpProxy(kit.url, clientAddress);
    await start(proxy);
    expect([await whoAsksAt(proxy), mistakesOf(kit)]).toEqual([ofClient, []]);

    const inner = await startHttpProxy(kit.url, "10.0.0.9");
    const outer = await startHttpProxy(inner, clientAddress);
    await start(outer);
    expect([await whoAsksAt(outer), mistakesOf(kit)]).toEqual([
      { address: "10.0.0.9", network: "10.0.0.0/24" },
      ["header_ignored"],
    ]);
  });

  test("L13: is not believed by Fastify, which counts the proxy and is warned", async () => {
    const kit = await serveKit(fastifyHost, "one proxy, by number");
    const proxy = await startHttpProxy(kit.url, clientAddress);
    await start(proxy);
    expect([await whoAsksAt(proxy), mistakesOf(kit)]).toEqual([ofProxy, ["header_ignored"]]);
    expect(warnings()).toEqual([expect.stringMatching(/a number makes Fastify believe no proxy/)]);
  });
});
