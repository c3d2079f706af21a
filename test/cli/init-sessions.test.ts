import { describe, expect, test } from "vitest";
import {
  autoloadApp,
  expressJwtApp,
  expressSessionApp,
  fastifySessionTypesApp,
  jsonwebtokenApp,
  passportApp,
  passportJwtApp,
  passportTypesApp,
  secureSessionApp,
} from "./apps-with-logins.ts";
import { initApp, written } from "./init-app.ts";
import { linkModules, type StandIn, writeStandIns } from "./installed-modules.ts";
import { logInWithSandbox } from "./run-app.ts";
import { runCli } from "./run-cli.ts";
import { readApp, type SampleApp } from "./sample-apps.ts";
import { typeErrors } from "./type-errors.ts";

interface Run {
  readonly title: string;
  readonly sample: SampleApp;
  readonly linked?: readonly string[];
  readonly standIns?: readonly StandIn[];
  readonly loginPath?: string;
  /** The header with which the app's own route knows the user. */
  readonly header: (confirmed: { readonly cookie: string; readonly body: Readonly<Record<string, unknown>> }) => object;
  readonly id: unknown;
}

const cookie: Run["header"] = (confirmed) => ({ cookie: confirmed.cookie });
const bearer =
  (token: (result: never) => string): Run["header"] =>
  ({ body }) => ({
    authorization: `Bearer ${token(body.result as never)}`,
  });

const runs: readonly Run[] = [
  {
    title: "Express 4 with Passport, express-session, lusca and Mongoose",
    sample: passportApp,
    linked: ["compression", "express-session", "passport"],
    standIns: ["lusca", "mongoose"],
    loginPath: "/phone-login",
    header: cookie,
    id: "user_1",
  },
  {
    title: "Express 4 with passport-jwt and Mongoose",
    sample: passportJwtApp,
    linked: ["cors", "passport"],
    standIns: ["helmet", "jsonwebtoken", "mongoose", "passport-jwt"],
    header: bearer(({ access }: { access: { token: string } }) => access.token),
    id: "user_1",
  },
  {
    title: "Express 4 with jsonwebtoken and Knex",
    sample: jsonwebtokenApp,
    standIns: ["dotenv", "jsonwebtoken", "knex"],
    header: bearer(({ token }: { token: string }) => token),
    id: 41,
  },
  {
    title: "Express 5 in TypeScript with express-session",
    sample: expressSessionApp,
    linked: ["express-session"],
    header: cookie,
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  },
  {
    title: "Fastify with @fastify/autoload and @fastify/session",
    sample: autoloadApp,
    linked: ["@fastify/cookie", "@fastify/session"],
    standIns: ["@fastify/autoload", "fastify-plugin"],
    header: cookie,
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  },
  {
    title: "Fastify in TypeScript with @fastify/secure-session",
    sample: secureSessionApp,
    linked: ["@fastify/secure-session"],
    header: cookie,
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  },
];

describe.each(runs)("an app on $title", ({ sample, linked = [], standIns = [], loginPath, header, id }) => {
  test("logs in to its own session, and its own routes know the user", async () => {
    const { folder, after } = await initApp(sample);
    linkModules(folder, linked);
    writeStandIns(folder, standIns);
    const { app, confirmed } = await logInWithSandbox(folder, loginPath);
    const me = await fetch(`${app}/me`, { headers: { ...header(confirmed) } });

    expect(confirmed.status).toBe(200);
    expect(await me.json()).toMatchObject({ id });
    expect(confirmed.cookie).not.toContain("doorcode-session");
    expect(Object.values(after).join("")).not.toMatch(/console\.|session: \{ password/);
  });

  test("is not changed by a second init", async () => {
    const { folder, after } = await initApp(sample);
    const { output } = await runCli(["init", folder, ...written]);
    expect(readApp(folder)).toEqual(after);
    expect(output).not.toContain("+++");
  });
});

/** The part of a text from one line to another. */
const between = (text: string | undefined, from: string, to: string) =>
  text?.slice(text.indexOf(from), text.indexOf(to)) ?? "";

describe("doorcode init in an app that has sessions", () => {
  test("mounts the login below session and Passport and above CSRF, the webhooks above every parser, beside an existing /login", async () => {
    const { after, output } = await initApp(passportApp);
    expect(between(after["app.js"], "app.use(compression", "app.get('/'")).toBe(`app.use(compression());
app.use('/webhooks', webhooks(doorcode)); // above express.json(): the signature covers the exact bytes
app.use(express.json());
app.use(express.urlencoded({ extended: true }));
app.use(session({ resave: false, saveUninitialized: false, secret: 'a secret of this app' }));
app.use(passport.initialize());
app.use(passport.session());
app.use('/phone-login', phoneLogin(doorcode, { session: sessions, forms: { page: '/phone-login' } }));
app.use((req, res, next) => {
  if (req.path === '/api/upload') next();
  else lusca.csrf()(req, res, next);
});
`);
    expect(output).toContain("Your app has a route /login, so the login by phone is at /phone-login.");
    expect(output).toContain("POST /phone-login/start");
  });

  test("mounts the login of an API below its CORS and its Passport", async () => {
    const { after } = await initApp(passportJwtApp);
    expect(between(after["src/app.js"], "app.use(helmet", "passport.use(")).toBe(`app.use(helmet());
app.use('/webhooks', webhooks(doorcode)); // above express.json(): the signature covers the exact bytes
app.use(express.json());
app.use(cors());
app.options('*', cors());
app.use(passport.initialize());
app.use('/login', phoneLogin(doorcode, { session: sessions }));
`);
  });

  test("writes a plugin among the routes of an app of fastify-cli, and not into the file that loads them", async () => {
    const { after } = await initApp(autoloadApp);
    expect(after["app.js"]).toBe(autoloadApp.files["app.js"]);
    expect(after["server.js"]).toBe(autoloadApp.files["server.js"]);
    expect(after["routes/doorcode.js"]).toBe(`const { phoneLogin, webhooks } = require('@doorcode/fastify')
const { doorcode, sessions } = require('../doorcode.js')

module.exports = async function doorcodeRoutes(fastify) {
  await fastify.register(webhooks(doorcode), { prefix: '/webhooks' })
  await fastify.register(phoneLogin(doorcode, { session: sessions }), { prefix: '/login' })
}
`);
  });

  test("mounts below the plugins where an app of fastify-cli has no folder of routes", async () => {
    const { "routes/root.js": _root, ...files } = autoloadApp.files;
    const text = files["app.js"]?.replace(
      "  fastify.register(AutoLoad, {\n    dir: path.join(__dirname, 'routes'),\n    options: Object.assign({}, opts)\n  })\n",
      "  fastify.get('/', async () => 'home')\n",
    );
    const { after } = await initApp({ ...autoloadApp, files: { ...files, "app.js": text ?? "" } });
    expect(
      between(after["app.js"], "module.exports", "fastify.get("),
    ).toBe(`module.exports = async function (fastify, opts) {
  fastify.register(webhooks(doorcode), { prefix: '/webhooks' })
  fastify.register(AutoLoad, {
    dir: path.join(__dirname, 'plugins'),
    options: Object.assign({}, opts)
  })
  fastify.register(phoneLogin(doorcode, { session: sessions }), { prefix: '/login' })

  `);
  });

  test("starts a session under the key of the app", async () => {
    const { after } = await initApp(expressSessionApp);
    expect(after["src/doorcode.ts"]).toContain("req.session.user_id = userId;");
    expect(after["src/server.ts"]).toContain(`app.use(keepSession);
app.use("/login", phoneLogin(doorcode, { session: sessions }));
`);
  });

  test("makes the tokens of the app, and reads them with its own middleware", async () => {
    const { after } = await initApp(expressJwtApp);
    expect(after["src/doorcode.ts"]).toContain("({ token: await generateToken(Number(userId)) })");
    expect(after["src/doorcode.ts"]).toContain("auth.required(req, req.res as Response, resolve)");
    expect(after["src/doorcode.ts"]).toContain(".auth?.user?.id;");
  });

  test("reads the token where an express-jwt before 7 puts it", async () => {
    const { dependencies } = expressJwtApp.manifest as { readonly dependencies: object };
    const old = { ...expressJwtApp.manifest, dependencies: { ...dependencies, "express-jwt": "^6.1.1" } };
    const { after } = await initApp({ ...expressJwtApp, manifest: old });
    expect(after["src/doorcode.ts"]).toContain("{ user?: { user?: { id?: unknown } } }).user?.user?.id;");
  });

  test("writes a plugin with types for an app of fastify-cli in TypeScript", async () => {
    const text = `import AutoLoad from "@fastify/autoload";
import session from "@fastify/session";
import type { FastifyInstance } from "fastify";

export default async function (fastify: FastifyInstance, opts: object) {
  fastify.register(session, { secret: "a secret of this app with 32 characters" });
  fastify.register(AutoLoad, { dir: \`\${import.meta.dirname}/routes\`, options: opts });
  fastify.register(AutoLoad, { dir: ["src", "routes"].join("/") });
}
`;
    const manifest = { ...autoloadApp.manifest, type: "module", scripts: { dev: "fastify start -w app.ts" } };
    const files = { "app.ts": text, "routes/root.ts": "export default async () => undefined;\n" };
    const { folder, after } = await initApp({ ...autoloadApp, manifest, files });
    expect(after["routes/doorcode.ts"]).toContain(
      "export default async function doorcodeRoutes(fastify: FastifyInstance) {",
    );
    expect(typeErrors(folder, ["@fastify/autoload"])).toBe("");
  });

  test.each([
    { title: "express-session", sample: expressSessionApp, modules: [] },
    { title: "express-jwt", sample: expressJwtApp, modules: ["express-jwt", "jsonwebtoken", "@prisma/client"] },
    { title: "@fastify/secure-session", sample: secureSessionApp, modules: [] },
    { title: "Passport", sample: passportTypesApp, modules: [] },
    { title: "@fastify/session", sample: fastifySessionTypesApp, modules: [] },
  ])("writes sessions of $title that compile under strict options", async ({ sample, modules }) => {
    const { folder } = await initApp(sample);
    expect(typeErrors(folder, modules)).toBe("");
  });
});
