import { describe, expect, test } from "vitest";
import {
  autoloadApp,
  autoloadTypesApp,
  expressJwtApp,
  expressSessionApp,
  jsonwebtokenApp,
  passportApp,
  passportJwtApp,
  passportStandIns,
  secureSessionApp,
} from "./apps-with-logins.ts";
import { initApp } from "./init-app.ts";
import { logInWithSandbox } from "./run-app.ts";
import { linkModules } from "./sample-apps.ts";

test.each([
  {
    title: "Express 4 with Passport, express-session, lusca and Mongoose",
    sample: passportApp,
    files: passportStandIns,
    linked: ["compression", "express-session", "passport"],
    loginPath: "/phone-login",
    page: "<form",
    id: "user_1",
  },
  {
    title: "Express 5 in TypeScript with express-session and --page",
    sample: expressSessionApp,
    options: ["--page"],
    page: "<phone-login",
    linked: ["express-session"],
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  },
  {
    title: "Fastify in TypeScript with @fastify/secure-session",
    sample: secureSessionApp,
    linked: ["@fastify/secure-session"],
    page: "",
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  },
])(
  "an app on $title logs in to its own session right after init, its routes know the user, and it handles the webhooks",
  async (run) => {
    const { folder, after } = await initApp(run.sample, run.files, ...(run.options ?? []));
    linkModules(folder, run.linked);
    const { app, control, confirmed } = await logInWithSandbox(folder, run.loginPath);
    const me = await fetch(`${app}/me`, { headers: { cookie: confirmed.cookie } });

    expect(confirmed.status).toBe(200);
    expect(await me.json()).toMatchObject({ id: run.id });
    expect(await (await fetch(app)).text()).toContain("home");
    expect(await (await fetch(`${app}/login`)).text()).toContain(run.page);
    expect((await fetch(`${control}/deliveries/wait?status=delivered&timeout=20`)).status).toBe(200);
    expect(confirmed.cookie).not.toContain("doorcode-session");
    // Each renews the id of the session.
    expect(Object.values(after).join("")).toMatch(/session\.regenerate|req\.logIn/);
    expect(Object.values(after).join("")).not.toMatch(/console\.|session: \{ password/);
  },
);

/** What stands between the braces of the sessions in the kit's file. */
const sessionsIn = (text: string | undefined) => /const sessions.* = \{([\s\S]*?\n)\}/.exec(text ?? "")?.[1];

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
    expect(between(after["src/app.ts"], "app.use(helmet", "passport.use(")).toBe(`app.use(helmet());
app.use('/webhooks', webhooks(doorcode)); // above express.json(): the signature covers the exact bytes
app.use(express.json());
app.use(cors());
app.options('*all', cors());
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
    expect(after["src/doorcode.ts"]).toContain(`    await promisify(req.session.regenerate.bind(req.session))();
    req.session.user_id = userId;
`);
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

  test("makes the tokens of the app, and asks its strategy of Passport about them", async () => {
    const { after } = await initApp(passportJwtApp);
    expect(sessionsIn(after["src/doorcode.ts"])).toBe(`
  // The answer to /confirm has what is returned here, as \`result\`.
  start: async ({ userId }) => generateAuthTokens({ id: userId }),
  current: ({ req }) =>
    new Promise((resolve, reject) => {
      const done = (error: unknown, user: { id: unknown } | false | undefined) =>
        error ? reject(error) : resolve(user ? { userId: String(user.id) } : undefined);
      passport.authenticate('jwt', { session: false }, done)(req, req.res, reject);
    }),
  // A JWT stays valid until it expires.
  end: () => undefined,
`);
  });

  test("signs and verifies tokens as the route of the app does", async () => {
    const { after } = await initApp(jsonwebtokenApp);
    const secret = "process.env.JWT_SECRET || 'a secret' as string";
    const signed = `jwt.sign({ userId: Number(userId) }, ${secret}, { expiresIn: '1h' })`;
    expect(sessionsIn(after["doorcode.ts"])).toBe(`
  // The answer to /confirm has what is returned here, as \`result\`.
  start: async ({ userId }) => ({ token: ${signed} }),
  current({ req }) {
    const [, token = ''] = req.get('authorization')?.match(/^Bearer (.+)$/) ?? [];
    try {
      const payload = jwt.verify(token, ${secret}) as { userId?: unknown };
      const id = payload.userId;
      return id ? { userId: String(id) } : undefined;
    } catch {
      return undefined;
    }
  },
  // A JWT stays valid until it expires.
  end: () => undefined,
`);
  });

  test("starts a session of @fastify/session with a new id", async () => {
    const { after } = await initApp(autoloadApp);
    expect(sessionsIn(after["doorcode.js"])).toBe(`
  async start({ userId, provenAt }, { request }) {
    // A new id: an attacker who planted the old one is not logged in.
    await request.session.regenerate()
    request.session.userId = userId
    request.session.provenAt = provenAt
  },
  current({ request: { session } }) {
    const userId = session.userId
    return userId ? { userId: String(userId), provenAt: session.provenAt } : undefined
  },
  end: ({ request }) => request.session.destroy(),
`);
  });

  test("writes a plugin with types for an app of fastify-cli in TypeScript", async () => {
    const { after } = await initApp(autoloadTypesApp);
    expect(after["routes/doorcode.ts"]).toContain(
      "export default async function doorcodeRoutes(fastify: FastifyInstance) {",
    );
  });
});
