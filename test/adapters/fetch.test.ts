import { getSession, phoneLogin, requireLogin, webhooks } from "@doorcode/fetch";
import { getConnInfo } from "@hono/node-server/conninfo";
import { type Context, Hono, type Next } from "hono";
import { setCookie } from "hono/cookie";
import { describe, expect, test } from "vitest";
import { openStores } from "../support/platforms.ts";
import { createKit } from "./adapter-setup.ts";
import { describeWaits } from "./conformance/waiting.ts";
import { describeAdapter } from "./conformance.ts";
import { type AdapterHost, loginOptions } from "./host.ts";
import { relay, serveHono } from "./serve-hono.ts";

const host: AdapterHost = {
  name: "Hono, through @doorcode/fetch",
  async serve(plan) {
    const { doorcode, sessions } = plan;
    const login = phoneLogin(doorcode, { basePath: "/login", ...loginOptions(plan) });
    const deliver = webhooks(doorcode, { basePath: "/webhooks" });
    const guard = sessions ? undefined : requireLogin(doorcode, { loginPage: "/login" });
    const app = new Hono();
    app.use(ownCookies);
    app.use("/webhooks/*", async (c, next) => relay(c, next, await deliver(c.req.raw)));
    app.use("/login/*", async (c, next) =>
      relay(c, next, await login(c.req.raw, { remoteAddress: getConnInfo(c).remote.address })),
    );
    app.get("/login", (c) => c.text("the app's own page"));
    app.post("/login/other", async (c) => c.text(await c.req.text()));
    app.post("/webhooks/other", async (c) => c.text(await c.req.text()));
    app.get("/account", async (c, next) => {
      if (!guard) return next();
      const result = await guard(c.req.raw);
      if ("response" in result) return relay(c, next, result.response);
      const { userId, user } = result.session;
      return c.json({ userId, user: user as object });
    });
    app.get("/who", async (c) => c.json({ userId: (await getSession(doorcode, c.req.raw))?.userId ?? null }));
    app.get("/standing", async (c) => c.json((await login.state(c.req.raw)) as object));
    app.get("/offered", (c) => c.json(login.offer));
    return serveHono(app);
  },
};

async function ownCookies(c: Context, next: Next): Promise<void> {
  setCookie(c, "early", "1");
  await next();
  setCookie(c, "late", "1");
}

describeAdapter(host, await openStores());
describeWaits(host);

describe("fetch hosts", () => {
  test.each(["login", "/login/", "/login?x", "", undefined as never])(
    "the mount rejects the basePath %j",
    async (basePath) => {
      const { doorcode } = await createKit();
      expect(() => phoneLogin(doorcode, { basePath })).toThrow(TypeError);
      expect(() => webhooks(doorcode, { basePath })).toThrow(TypeError);
    },
  );

  test("a mount can have the basePath /", async () => {
    const { doorcode } = await createKit();
    const login = phoneLogin(doorcode, { basePath: "/" });
    const client = { remoteAddress: undefined };
    expect((await login(new Request("http://localhost/state"), client))?.status).toBe(200);
    expect(await login(new Request("http://localhost/"), client)).toBeUndefined();
  });

  test("a mount answers a path with a slash at its end, to which Next.js with trailingSlash redirects each request", async () => {
    const { doorcode } = await createKit();
    const login = phoneLogin(doorcode, { basePath: "/login" });
    const get = (path: string) => login(new Request(`http://localhost${path}`), { remoteAddress: undefined });
    expect((await get("/login/state/"))?.status).toBe(200);
    expect(await get("/login/state//")).toBeUndefined();
  });

  test("a mount answers below a basePath of any script, as the URL of a request has it", async () => {
    const { doorcode } = await createKit();
    const login = phoneLogin(doorcode, { basePath: "/вход" });
    const answer = await login(new Request("http://localhost/вход/state"), { remoteAddress: undefined });
    expect(answer?.status).toBe(200);
  });
});
