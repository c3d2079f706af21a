import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { phoneLoginScript, phoneLoginStyle, type RenderOptions, renderPhoneLogin } from "@doorcode/browser/server";
import { createDoorcode, type Doorcode, type DoorcodeOptions, serviceCodes } from "@doorcode/core";
import * as onExpress from "@doorcode/express";
import * as onFastify from "@doorcode/fastify";
import type { Sandbox } from "@doorcode/sandbox";
import express from "express";
import fastify from "fastify";

type LoginOptions = NonNullable<DoorcodeOptions<undefined>["login"]>;

/** What a test changes. */
export interface PageAppOptions {
  readonly sandbox: Sandbox;
  readonly login?: Partial<LoginOptions>;
  readonly options?: Partial<DoorcodeOptions<undefined>>;
  /** Options of the rendered page. */
  readonly render?: Partial<RenderOptions>;
}

/** An app with the login page on a real framework. */
export interface PageApp {
  readonly url: string;
  readonly doorcode: Doorcode;
  /** What the browser reports against the content security policy. */
  readonly cspReports: string[];
  close(): Promise<void>;
}

/** A framework that serves the login page. */
export interface PageHost {
  readonly name: string;
  start(options: PageAppOptions): Promise<PageApp>;
}

/** The strictest policy that a page can have and still send requests to its own server. */
const policy = "default-src 'self'; base-uri 'none'; frame-ancestors 'none'; report-uri /csp";
const purposes = { login: "/login", link: "/link", step_up: "/step-up", verify: "/verify" } as const;

function createKit({ sandbox, login, options }: PageAppOptions): Doorcode {
  return createDoorcode({
    name: "pages",
    service: { baseUrl: sandbox.env.SERVICE_URL, apiKey: sandbox.env.SERVICE_API_KEY },
    session: { password: sandbox.env.SESSION_PASSWORD },
    webhooks: { secret: sandbox.env.WEBHOOK_SECRET },
    login: {
      countries: ["DE", "AT", "CH"],
      codes: serviceCodes({ template: "login", channels: ["SMS", "WHATSAPP"], codeLength: 6 }),
      onLogin: ({ phone }) => phone,
      onLink: ({ userId }) => userId,
      phoneOf: (userId) => userId,
      ...login,
    },
    ...options,
  });
}

interface PageRequest {
  readonly query: Readonly<Record<string, unknown>>;
  readonly path: string;
  readonly state: RenderOptions["state"];
  readonly offer: RenderOptions["offer"];
}

function pageOf({ query, path, state, offer }: PageRequest, render: PageAppOptions["render"]): string {
  const { lang = "en", dir = "ltr", bare, late, text, scheme } = query as Record<string, string | undefined>;
  const purpose = (Object.entries(purposes).find(([, mount]) => mount === path)?.[0] ??
    "login") as keyof typeof purposes;
  const element =
    bare === undefined
      ? renderPhoneLogin({
          state,
          offer,
          basePath: path,
          query,
          lang,
          purpose,
          done: "/account",
          form: "order",
          ...render,
        })
      : `<phone-login base-path="${path}" purpose="${purpose}" done="/account" form="order"></phone-login>`;
  const order = '<form id="order" action="/order"><button>Order</button></form>';
  return `<!doctype html>
<html lang="${lang}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Log in</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/app.css">
${text === undefined ? "" : '<link rel="stylesheet" href="/large.css">'}${scheme === undefined ? "" : '<link rel="stylesheet" href="/light.css">'}
<link rel="stylesheet" href="/phone-login.css">
${late === undefined ? '<script type="module" src="/phone-login.js"></script>' : ""}
</head>
<body><main><h1>Log in</h1>${element}${purpose === "verify" ? order : ""}</main></body>
</html>`;
}

const appStyle =
  ":root { color-scheme: light dark } body { margin: 0; background: light-dark(#fff, #16171c); color: light-dark(#16181d, #f2f3f5) } main { max-width: 24rem; margin: 0 auto; padding: 1.25rem }";
const files = [
  ["/phone-login.js", "text/javascript", phoneLoginScript],
  ["/phone-login.css", "text/css", phoneLoginStyle],
  ["/app.css", "text/css", appStyle],
  ["/large.css", "text/css", "html { font-size: 200% }"],
  ["/light.css", "text/css", ":root { color-scheme: light }"],
  ["/icon.svg", "image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg"/>'],
] as const;
const account = "<!doctype html><html lang=en><title>Account</title><h1>Hello</h1></html>";

export const hosts: readonly PageHost[] = [
  {
    name: "Express",
    async start(options) {
      const doorcode = createKit(options);
      const cspReports: string[] = [];
      const app = express();
      app.use("/webhooks", onExpress.webhooks(doorcode));
      for (const [path, type, text] of files) app.get(path, (_req, res) => void res.type(type).send(text));
      app.post("/csp", express.text({ type: () => true }), (req, res) => {
        cspReports.push(String(req.body));
        res.end();
      });
      app.get("/account", (_req, res) => void res.type("html").send(account));
      for (const [purpose, path] of Object.entries(purposes)) {
        const login = onExpress.phoneLogin(doorcode, {
          purpose: purpose as "login",
          ...(purpose === "verify" && { proof: { audience: "order" } }),
          forms: { page: path, done: purpose === "verify" ? path : "/account" },
        });
        app.get(path, async (req, res) => {
          const state = await login.state(req);
          res.set({ "content-security-policy": policy, "cache-control": "no-store" });
          res.type("html").send(pageOf({ query: req.query, path, state, offer: login.offer }, options.render));
        });
        app.use(path, login);
      }
      const server = createServer(app);
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return served(server, options.sandbox, doorcode, cspReports, async () => {
        await new Promise((resolve) => server.close(resolve));
      });
    },
  },
  {
    name: "Fastify",
    async start(options) {
      const doorcode = createKit(options);
      const cspReports: string[] = [];
      const app = fastify();
      await app.register(onFastify.webhooks(doorcode), { prefix: "/webhooks" });
      for (const [path, type, text] of files) app.get(path, (_request, reply) => reply.type(type).send(text));
      app.addContentTypeParser("application/csp-report", { parseAs: "string" }, (_request, body, done) =>
        done(null, body),
      );
      app.post("/csp", async ({ body }) => void cspReports.push(String(body)));
      app.get("/account", (_request, reply) => reply.type("text/html").send(account));
      for (const [purpose, path] of Object.entries(purposes)) {
        const login = onFastify.phoneLogin(doorcode, {
          purpose: purpose as "login",
          ...(purpose === "verify" && { proof: { audience: "order" } }),
          forms: { page: path, done: purpose === "verify" ? path : "/account" },
        });
        app.get<{ Querystring: Record<string, unknown> }>(path, async (request, reply) => {
          const state = await login.state(request);
          const html = pageOf({ query: request.query, path, state, offer: login.offer }, options.render);
          reply.headers({ "content-security-policy": policy, "cache-control": "no-store" });
          return reply.type("text/html").send(html);
        });
        await app.register(login, { prefix: path });
      }
      await app.listen({ port: 0, host: "127.0.0.1" });
      return served(app.server, options.sandbox, doorcode, cspReports, () => app.close());
    },
  },
];

function served(
  server: Server,
  sandbox: Sandbox,
  doorcode: Doorcode,
  cspReports: string[],
  end: () => Promise<unknown>,
): PageApp {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  sandbox.deliverTo(`${url}/webhooks`);
  return {
    url,
    doorcode,
    cspReports,
    async close() {
      await doorcode.close();
      server.closeAllConnections();
      await end();
    },
  };
}
