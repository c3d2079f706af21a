import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { loginPage } from "@doorcode/browser/server";
import * as onExpress from "@doorcode/express";
import * as onFastify from "@doorcode/fastify";
import fastifyCompress from "@fastify/compress";
import fastifyCookie from "@fastify/cookie";
import fastifyCors from "@fastify/cors";
import fastifyCsrf from "@fastify/csrf-protection";
import fastifyHelmet from "@fastify/helmet";
import fastifyRateLimit from "@fastify/rate-limit";
import fastifySession from "@fastify/session";
import compression from "compression";
import cors from "cors";
import { csrfSync } from "csrf-sync";
import express, { type ErrorRequestHandler, type Express, type Request } from "express";
import { rateLimit } from "express-rate-limit";
import expressSession from "express-session";
import fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import helmet from "helmet";
import morgan from "morgan";
import { Passport } from "passport";
import { describe, expect, test } from "vitest";
import type { Browser } from "../support/browser.ts";
import { runProgram } from "../support/document-program.ts";
import { type ExpressVersion, expressVersions } from "../support/express-versions.ts";
import { type AdapterSetup, createKit, type Kit, phone, setUpOn, signed } from "./adapter-setup.ts";
import { serveExpress } from "./serve-express.ts";
import { serveFastify } from "./serve-fastify.ts";

const document = "packages/core/docs/middleware.md";
const text = readFileSync(resolve(import.meta.dirname, "../..", document), "utf8");
/** The rows of the document's table, in their order. */
const rows = [...text.matchAll(/^\| ([a-zA-Z][^|]*?) \| /gm)].map(([, row = ""]) => row);
const page = "https://app.example.com";
const secret = "a secret of the tests, 32 characters";
/** So few that the requests of one login reach it. */
const maxRequests = 3;

/** A chain of an app: what its framework logs, and what its error handler gets. */
interface Chain {
  readonly logged: string[];
  readonly errors: unknown[];
}

interface Framework {
  readonly name: string;
  /** Builds an app from rows of the document, in the given order. On Fastify what stands below the login is in a plugin. */
  serve(kit: Kit, order: readonly string[]): Promise<AdapterSetup & Chain>;
}

/** The session of both frameworks, as far as the chains use it. */
interface Held {
  userId?: string;
}

const expressOf = ({ name, express }: ExpressVersion): Framework => ({
  name,
  async serve(kit, order) {
    const { doorcode } = kit;
    const chain: Chain = { logged: [], errors: [] };
    const heldBy = (req: Request) => req.session as unknown as Held;
    const session: onExpress.ExpressSessions = {
      async start({ userId }, { req }) {
        await promisify((done: (error: unknown) => void) => req.logIn({ id: userId }, done))();
        heldBy(req).userId = userId;
      },
      current({ req }) {
        const { userId } = heldBy(req);
        return userId === undefined ? undefined : { userId };
      },
      end: ({ req }) => promisify(req.session.destroy.bind(req.session))(),
    };
    const passport = new Passport();
    passport.serializeUser<string>((user, done) => done(null, (user as { id: string }).id));
    passport.deserializeUser<string>((id, done) => done(null, { id }));
    const report: ErrorRequestHandler = (error, _req, res, _next) => {
      chain.errors.push(error);
      res.status(error.statusCode ?? 500).send("the app's error page");
    };
    const { csrfSynchronisedProtection } = csrfSync();
    const parts: Readonly<Record<string, (app: Express) => unknown>> = {
      log: (app) => app.use(morgan("combined", { stream: { write: (line) => void chain.logged.push(line) } })),
      errors: (app) => app.use(report),
      "security headers": (app) => app.use(helmet()),
      compression: (app) => app.use(compression({ threshold: 0 })),
      webhooks: (app) => app.use("/webhooks", onExpress.webhooks(doorcode)),
      CORS: (app) => app.use(cors({ origin: page, credentials: true })),
      session: (app) => {
        app.use(expressSession({ secret, resave: false, saveUninitialized: false }));
        app.use(passport.session());
      },
      login: (app) =>
        app.use("/login", onExpress.phoneLogin(doorcode, { session, page: loginPage({ done: "/account" }) })),
      "body parsers": (app) => app.use(express.json(), express.urlencoded({ extended: false })),
      CSRF: (app) => app.use(csrfSynchronisedProtection),
      "rate limit": (app) => app.use(rateLimit({ limit: maxRequests, validate: false })),
      "guard, routes": (app) => {
        const guard = onExpress.requireLogin(doorcode, { session });
        app.get("/account", guard, (req, res) => void res.json({ id: req.doorcode.userId }));
      },
    };
    const app = express();
    // An error handler of Express is the last of all.
    const last = order.includes("errors") ? ["errors"] : [];
    for (const row of [...order.filter((name) => name !== "errors"), ...last]) parts[row]?.(app);
    return Object.assign(setUpOn(kit, await serveExpress(app)), chain);
  },
});

const onExpressApps = expressVersions.map(expressOf);

const onFastifyApp: Framework = {
  name: "Fastify",
  async serve(kit, order) {
    const { doorcode } = kit;
    const chain: Chain = { logged: [], errors: [] };
    const heldBy = (request: FastifyRequest) => (request as unknown as { readonly session: Held }).session;
    const session: onFastify.FastifySessions = {
      async start({ userId }, { request }) {
        await (request.session as unknown as { regenerate(): Promise<void> }).regenerate();
        heldBy(request).userId = userId;
      },
      current({ request }) {
        const { userId } = heldBy(request);
        return userId === undefined ? undefined : { userId };
      },
      end: ({ request }) => (request.session as unknown as { destroy(): Promise<void> }).destroy(),
    };
    const parts: Readonly<Record<string, (app: FastifyInstance) => unknown>> = {
      errors: (app) =>
        app.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) => {
          chain.errors.push(error);
          return reply.code(error.statusCode ?? 500).send("the app's error page");
        }),
      "security headers": (app) => app.register(fastifyHelmet),
      compression: (app) => app.register(fastifyCompress, { threshold: 0 }),
      webhooks: (app) => app.register(onFastify.webhooks(doorcode), { prefix: "/webhooks" }),
      CORS: (app) => app.register(fastifyCors, { origin: page, credentials: true }),
      async session(app) {
        await app.register(fastifyCookie);
        await app.register(fastifySession, { secret, saveUninitialized: false, cookie: { secure: false } });
      },
      login: (app) =>
        app.register(onFastify.phoneLogin(doorcode, { session, page: loginPage({ done: "/account" }) }), {
          prefix: "/login",
        }),
      async CSRF(app) {
        await app.register(fastifyCsrf, { sessionPlugin: "@fastify/session" });
        app.addHook("preHandler", (request, reply, done) =>
          request.method === "GET" ? done() : app.csrfProtection(request, reply, done),
        );
      },
      "rate limit": (app) => app.register(fastifyRateLimit, { max: maxRequests }),
      "guard, routes": (app) =>
        app.get("/account", { preHandler: onFastify.requireLogin(doorcode, { session }) }, async (request) => ({
          id: request.doorcode.userId,
        })),
    };
    const stream = { write: (line: string) => void chain.logged.push(line) };
    const app = fastify({ logger: { stream } });
    const outer = order.slice(0, order.indexOf("login") + 1);
    for (const row of outer) await parts[row]?.(app);
    await app.register(async (plugin) => {
      for (const row of order.slice(outer.length)) await parts[row]?.(plugin);
    });
    return Object.assign(setUpOn(kit, await serveFastify(app)), chain);
  },
};

async function serveIn(framework: Framework, order: readonly string[]): Promise<AdapterSetup & Chain> {
  return framework.serve(await createKit({ session: "the app's own", options: { origins: [page] } }), order);
}

/** The document's order with one row in another place: directly above another row, or at the very top. */
function withRow(row: string, above: string = rows[0] ?? ""): readonly string[] {
  const others = rows.filter((name) => name !== row);
  return others.toSpliced(others.indexOf(above), 0, row);
}

/** Headers of the page's requests: it is one of `origins`. */
const own = { origin: page, "sec-fetch-site": "same-origin" };

async function logIn(browser: Browser, { service }: Kit) {
  await browser.post("/login/start", { phone }, own);
  return browser.post("/login/confirm", { code: service.code }, own);
}

async function deliver({ url, clock }: AdapterSetup): Promise<number> {
  const body = JSON.stringify({ event: "message.status.update", data: { message_id: "m", status: "SENT" } });
  const headers = { ...signed(body, clock.now()), "content-type": "application/json" };
  return (await fetch(`${url}/webhooks`, { method: "POST", headers, body })).status;
}

const preflight = { method: "OPTIONS", headers: { origin: page, "access-control-request-method": "POST" } };

describe.each([...onExpressApps, onFastifyApp])("a chain on $name", (framework) => {
  test("in the document's order serves webhooks, the page, CORS, a login, a guard and the error handler", async () => {
    const app = await serveIn(framework, rows);
    const browser = app.open();
    const shown = await browser.get("/login");
    const allowed = await browser.send("/login/start", preflight);
    const confirmed = await logIn(browser, app);
    const account = await browser.get("/account");

    expect(await deliver(app)).toBe(204);
    expect(shown.text).toContain("<phone-login");
    expect(shown.headers.get("content-encoding")).toEqual(expect.any(String));
    expect(shown.headers.get("strict-transport-security")).toEqual(expect.any(String));
    expect(shown.headers.get("referrer-policy")).toBe("same-origin");
    expect(shown.headers.get("content-security-policy")).not.toContain("unsafe-inline");
    expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([204, page]);
    expect([confirmed.json.status, account.json]).toEqual(["logged_in", { id: "user_1" }]);
    const log = app.logged.join("");
    expect(log).toContain("/login/confirm");
    for (const hidden of [phone, phone.slice(1), app.service.code]) expect(log).not.toContain(`"${hidden}"`);
    expect(app.errors).toEqual([]);
  });

  test.each(["session", "CORS", "CSRF", "rate limit"])("works with the body parsers above the %s", async (row) => {
    const app = await serveIn(framework, withRow("body parsers", row));
    expect((await logIn(app.open(), app)).json.status).toBe("logged_in");
  });

  test("with CORS below the login, the login refuses the preflight", async () => {
    const app = await serveIn(framework, withRow("CORS", "CSRF"));
    expect((await app.open().send("/login/start", preflight)).status).toBe(405);
  });

  test("with the session below the login, a login fails", async () => {
    const app = await serveIn(framework, withRow("session", "CSRF"));
    expect((await app.open().get("/login/state")).status).toBe(500);
    expect(app.errors).toHaveLength(1);
  });

  test("with a CSRF check above the login, each POST of the login is refused", async () => {
    const app = await serveIn(framework, withRow("CSRF", "login"));
    const started = await app.open().post("/login/start", { phone }, own);
    expect([started.status, started.json.code]).toEqual([403, undefined]);
  });

  test("with a CSRF check above the webhooks, deliveries are refused", async () => {
    const session = rows.filter((row) => row !== "session" && row !== "CSRF");
    const order = session.toSpliced(session.indexOf("webhooks"), 0, "session", "CSRF");
    expect(await deliver(await serveIn(framework, order))).toBe(403);
  });

  test("with a rate limit in front, a page that waits uses it up, and its refusal is no problem that the page can show", async () => {
    const app = await serveIn(framework, withRow("rate limit", "webhooks"));
    const browser = app.open();
    for (let request = 0; request < maxRequests; request++) await browser.get("/login/state");
    const refused = await browser.send("/login/start", {
      method: "POST",
      headers: { ...own, "content-type": "application/json" },
      body: JSON.stringify({ phone }),
    });
    expect([refused.status, refused.json.type]).toEqual([429, undefined]);
    expect(await deliver(app)).toBe(429);
  });
});

test.each(onExpressApps)(
  "on $name, with a body parser above the webhooks, each delivery is refused",
  async (framework) => {
    expect(await deliver(await serveIn(framework, withRow("body parsers", "webhooks")))).toBe(500);
  },
);

test.each(onExpressApps)("on $name, with the guard above the session, a guarded page fails", async (framework) => {
  const app = await serveIn(framework, withRow("guard, routes", "session"));
  expect([(await app.open().get("/account")).status, app.errors.length]).toEqual([500, 1]);
});

test("on Express, an error handler above the login gets no error of the app's session functions", async () => {
  const kit = await createKit({ session: "the app's own" });
  const errors: unknown[] = [];
  const report: ErrorRequestHandler = (error, _req, res, _next) => {
    errors.push(error);
    res.sendStatus(500);
  };
  const current = () => Promise.reject(new Error("the session's database is down"));
  const login = onExpress.phoneLogin(kit.doorcode, { session: { start: () => undefined, current, end() {} } });
  const { open, faults } = setUpOn(kit, await serveExpress(express().use(report).use("/login", login)));
  await open().get("/login/state");
  expect([errors.length, faults.length]).toEqual([0, 1]);
});

test("a form of a page with `Referrer-Policy: no-referrer`, from a browser without Sec-Fetch-Site, is refused", async () => {
  const app = await serveIn(onFastifyApp, rows);
  const refused = await app.open().submit("/login/start", { phone }, { origin: "null" });
  const own = await app.open().submit("/login/start", { phone }, { origin: page });
  expect([refused.status, refused.json.code]).toEqual([403, "foreign_origin"]);
  expect(own.headers.get("location")).toBe("/login");
});

test("on Fastify, a hook of the app is for the login that was registered before it, too", async () => {
  const kit = await createKit();
  const app = fastify();
  await app.register(onFastify.phoneLogin(kit.doorcode), { prefix: "/login" });
  app.addHook("onRequest", async (_request, reply) => reply.code(403).send("the hook of the app"));
  const { open } = setUpOn(kit, await serveFastify(app));
  expect((await open().get("/login/state")).text).toBe("the hook of the app");
});

describe("the kit inside a Fastify plugin", () => {
  test("serves the program of the document below all prefixes", async () => {
    const kit = await createKit();
    const modules = { doorcode: { doorcode: kit.doorcode } };
    const { app } = await runProgram<{ app: FastifyInstance }>({ document, modules });
    const { open, service } = setUpOn(kit, await serveFastify(app));
    const browser = open();
    const redirected = await browser.get("/api/account", { accept: "text/html" });
    await browser.post("/api/login/start", { phone });
    await browser.post("/api/login/confirm", { code: service.code });
    const refused = await open().submit("/api/login/confirm", { code: "1" });

    expect(redirected.headers.get("location")).toBe("/api/login?next=%2Fapi%2Faccount");
    expect((await browser.get("/api/account")).json).toEqual({ id: "user_1" });
    expect(refused.headers.get("location")).toMatch(/^\/api\/login\?problem=/);
    expect((await browser.post("/api/webhooks", {})).json.code).toBe("signature_invalid");
  });

  test("gets no session that another plugin keeps for itself", async () => {
    const kit = await createKit({ session: "the app's own" });
    const app = fastify();
    await app.register(async (inner) => {
      await inner.register(fastifyCookie);
      await inner.register(fastifySession, { secret });
    });
    const session: onFastify.FastifySessions = {
      start: () => undefined,
      current: ({ request }) => ({ userId: request.session.sessionId }),
      end: () => undefined,
    };
    await app.register(onFastify.phoneLogin(kit.doorcode, { session }), { prefix: "/login" });
    const { open } = setUpOn(kit, await serveFastify(app));
    expect((await open().get("/login/state")).status).toBe(500);
  });

  test("ignores the prefix of a plugin that fastify-plugin has freed from its context", async () => {
    const { default: fastifyPlugin } = await import("fastify-plugin");
    const { doorcode } = await createKit();
    const app = fastify();
    const freed = fastifyPlugin(async (outer: FastifyInstance) => {
      await outer.register(onFastify.phoneLogin(doorcode), { prefix: "/login" });
    });
    await app.register(freed, { prefix: "/api" });
    expect([
      app.hasRoute({ method: "POST", url: "/login/start" }),
      app.hasRoute({ method: "POST", url: "/api/login/start" }),
    ]).toEqual([true, false]);
    await app.close();
  });
});
