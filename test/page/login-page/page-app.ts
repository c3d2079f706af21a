import { createServer } from "node:http";
import { phoneLoginScript, phoneLoginStyle, type RenderOptions, renderPhoneLogin } from "@doorcode/browser/server";
import { createDoorcode, type Doorcode, type DoorcodeOptions, serviceCodes } from "@doorcode/core";
import { phoneLogin, webhooks } from "@doorcode/express";
import type { Sandbox } from "@doorcode/sandbox";
import express from "express";
import { listen } from "../../support/listen.ts";

type LoginOptions = NonNullable<DoorcodeOptions<undefined>["login"]>;

/** What a test changes. */
export interface PageAppOptions {
  readonly sandbox: Sandbox;
  readonly login?: Partial<LoginOptions>;
  readonly options?: Partial<DoorcodeOptions<undefined>>;
  /** Options of the rendered page. */
  readonly render?: Partial<RenderOptions>;
}

/** An app with the login page. */
export interface PageApp {
  readonly url: string;
  /** The name of its kit, which no other app of the process has: they share the memory store. */
  readonly name: string;
  /** What the browser reports against the content security policy. */
  readonly cspReports: string[];
  close(): Promise<void>;
}

/** The strictest policy that a page can have and still send requests to its own server. */
const policy = "default-src 'self'; base-uri 'none'; frame-ancestors 'none'; report-uri /csp";
const purposes = { login: "/login", link: "/link", step_up: "/step-up", verify: "/verify" } as const;

function createKit(name: string, { sandbox, login, options }: PageAppOptions): Doorcode {
  return createDoorcode({
    name,
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
  const { lang = "en", dir = "ltr", bare, late, scheme } = query as Record<string, string | undefined>;
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
${scheme === undefined ? "" : '<link rel="stylesheet" href="/light.css">'}
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
  ["/light.css", "text/css", ":root { color-scheme: light }"],
  ["/icon.svg", "image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg"/>'],
] as const;
const account = "<!doctype html><html lang=en><title>Account</title><h1>Hello</h1></html>";

let apps = 0;

/** Starts an app with the login page, and has the sandbox deliver webhooks to it. */
export async function startPageApp(options: PageAppOptions): Promise<PageApp> {
  const name = `pages${apps++}`;
  const doorcode = createKit(name, options);
  const cspReports: string[] = [];
  const app = express();
  app.use("/webhooks", webhooks(doorcode));
  for (const [path, type, text] of files) app.get(path, (_req, res) => void res.type(type).send(text));
  app.post("/csp", express.text({ type: () => true }), (req, res) => {
    cspReports.push(String(req.body));
    res.end();
  });
  app.get("/account", (_req, res) => void res.type("html").send(account));
  for (const [purpose, path] of Object.entries(purposes)) {
    const login = phoneLogin(doorcode, {
      purpose: purpose as "login",
      ...(purpose === "verify" && { proof: { audience: "order" } }),
      ...(purpose === "step_up" && { rememberSeconds: 86_400 }),
      forms: { page: path, done: purpose === "verify" ? path : "/account" },
    });
    app.get(path, async (req, res) => {
      const state = await login.state(req);
      res.set({ "content-security-policy": policy, "cache-control": "no-store" });
      res.type("html").send(pageOf({ query: req.query, path, state, offer: login.offer }, options.render));
    });
    app.use(path, login);
  }
  const server = await listen(createServer(app));
  options.sandbox.deliverTo(`${server.url}/webhooks`);
  return {
    url: server.url,
    name,
    cspReports,
    async close() {
      await doorcode.close();
      await server.close();
    },
  };
}
