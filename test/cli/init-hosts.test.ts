import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../structure/repository.ts";
import {
  expressSessionApp,
  honoApp,
  ironSessionApp,
  nestApp,
  nextApp,
  nextAuthApp,
  secureSessionApp,
  svelteApp,
} from "./apps-with-logins.ts";
import { initApp, written } from "./init-app.ts";
import { logInWithSandbox } from "./run-app.ts";
import { runCli } from "./run-cli.ts";
import { linkModules, readApp } from "./sample-apps.ts";

test("the login page of a Next.js app has the path of the login itself, as in the document", async () => {
  const { after } = await initApp(nextApp, {}, "--page");
  expect(Object.keys(after).filter((path) => path.startsWith("app/login/"))).toEqual([
    "app/login/[[...step]]/route.ts",
  ]);
  expect(after["doorcode.ts"]).toContain("  page: loginPage(),\n");
  const document = readFileSync(join(root, "packages/core/docs/fetch-hosts.md"), "utf8");
  expect(document).toContain("`loginPage`, the folder on Next.js is `[[...step]]`");
});

test("writes the routes of a Next.js app, and sessions with the functions of its own cookie", async () => {
  const { after, output } = await initApp(nextApp);
  expect(after["app/login/[...step]/route.ts"]).toBe(
    'import { login } from "../../../doorcode";\n\nexport const { GET, POST } = login.handlers;\n',
  );
  expect(after["app/webhooks/route.ts"]).toBe(`import { webhooks } from "@doorcode/fetch";
import { after } from "next/server";
import { doorcode } from "../../doorcode";

export const { POST } = webhooks(doorcode, { basePath: "/webhooks", waitUntil: after }).handlers;
`);
  expect(after["doorcode.ts"]).toContain(`  async start({ userId }) {
    await setSession({ id: Number(userId) } as Parameters<typeof setSession>[0]);
  },
  async current() {
    const session = await getSession();
    const id = session?.user?.id;
    return id ? { userId: String(id) } : undefined;
  },
  async end() {
    (await cookies()).delete("session");
  },
`);
  expect(output).toContain("Your middleware must let /login/… and /webhooks pass without a login.");
  expect(output).toContain("-- npm run dev");
  expect(output).toContain("install @doorcode/core @doorcode/fetch");
  expect(output).not.toContain("Nothing in your app loads .env");
});

test("leaves a page of the Pages Router alone, and `after` out before Next.js 15", async () => {
  const manifest = { name: "old", scripts: { dev: "next dev -p 4001" }, dependencies: { next: "^14.2.0" } };
  const { after, output } = await initApp({ ...nextApp, manifest, files: { "src/pages/login.tsx": "" } });
  expect(after["src/app/phone-login/[...step]/route.js"]).toContain('from "../../../doorcode";');
  expect(after["src/doorcode.js"]).not.toContain("next/server");
  expect(after["src/doorcode.js"]).toContain('forms: { page: "/phone-login" },');
  expect(output).toContain("http://localhost:4001/webhooks");
});

test.each([
  { version: "4.24.0", cookie: "}next-auth.session-token`", variable: "NEXTAUTH_SECRET", salt: false },
  { version: "5.0.0-beta.25", cookie: "}authjs.session-token`", variable: "AUTH_SECRET", salt: true },
])("writes the cookie of next-auth $version", async ({ version, cookie, variable, salt }) => {
  const { after } = await initApp(nextAuthApp(version));
  expect(after["doorcode.ts"]).toContain(cookie);
  expect(after["doorcode.ts"]?.match(new RegExp(`process.env.${variable}`, "g"))).toHaveLength(1);
  expect(after["doorcode.ts"]).toContain(`if (!secret) throw new Error("${variable} is missing.");`);
  expect(after["doorcode.ts"]?.includes("salt: name")).toBe(salt);
});

test("leaves next-auth alone when it keeps its sessions in a database", async () => {
  const { after, output } = await initApp(nextAuthApp("4.24.0", "adapter: rows, providers: []"));
  expect(after["doorcode.ts"]).toContain("session: { password: process.env.SESSION_PASSWORD },");
  expect(output).toContain("Your app uses next-auth, for which init writes no sessions.");
});

test("writes the session of iron-session under the key of the app", async () => {
  const { after } = await initApp(ironSessionApp);
  expect(after["doorcode.ts"]).toContain("session.userId = userId;\n    await session.save();");
});

test("writes the routes of a SvelteKit app beside its page at /login", async () => {
  const { after, output } = await initApp(svelteApp);
  expect(after["src/routes/phone-login/[...step]/+server.ts"]).toBe(
    'import { login } from "../../../lib/doorcode.server";\n\nexport const { GET, POST } = login.handlers;\n',
  );
  expect(after["src/routes/webhooks/+server.ts"]).toContain('webhooks(doorcode, { basePath: "/webhooks" }).handlers;');
  expect(after["src/lib/doorcode.server.ts"]).toContain("baseUrl: env.SERVICE_URL");
  expect(after["src/lib/doorcode.server.ts"]).toContain(
    "remoteAddress: (event: RequestEvent) => event.getClientAddress(),",
  );
  expect(output).toContain("http://localhost:5173/webhooks");
});

test("logs in on Hono, whose CSRF protection stands below the routes of the kit", async () => {
  const { folder, after } = await initApp(honoApp);
  linkModules(folder, ["hono", "@hono/node-server"]);
  expect(after["index.ts"]).toContain(`app.use(logger());
app.route("/", doorcodeRoutes);
app.use(csrf());
`);
  const { app, control, confirmed } = await logInWithSandbox(folder);
  expect(confirmed.status).toBe(200);
  expect((await fetch(`${control}/deliveries/wait?status=delivered&timeout=20`)).status).toBe(200);
  expect(await (await fetch(app)).text()).toBe("home");
});

test("mounts the kit in the file that creates a NestJS app", async () => {
  const { after, output } = await initApp(nestApp);
  expect(after["src/main.ts"]).toContain(`  const app = await NestFactory.create(AppModule);
  app.use('/webhooks', webhooks(doorcode)); // above express.json(): the signature covers the exact bytes
  app.use('/login', phoneLogin(doorcode));
  app.enableCors();
`);
  expect(after["src/main.ts"]).toContain("import { phoneLogin, webhooks } from '@doorcode/express';");
  expect(output).toContain("--webhook-url http://localhost:3001/webhooks -- npm run start:dev");
  expect(output).toContain("install @doorcode/core @doorcode/express");
});

test("says that a NestJS app has tokens, which its decorators hide", async () => {
  const { dependencies } = nestApp.manifest as { readonly dependencies: object };
  const manifest = { ...nestApp.manifest, dependencies: { ...dependencies, "@nestjs/jwt": "^11.0.0" } };
  const { output } = await initApp({ ...nestApp, manifest });
  expect(output).toContain("Your app uses @nestjs/jwt, for which init writes no sessions.");
});

test.each([
  { title: "Express", sample: expressSessionApp },
  { title: "Fastify", sample: secureSessionApp },
  { title: "Next.js", sample: nextApp },
  { title: "SvelteKit", sample: svelteApp },
  { title: "Hono", sample: honoApp },
])("a second init does not change an app on $title", async ({ sample }) => {
  const { folder, after } = await initApp(sample);
  const { output } = await runCli(["init", folder, ...written]);
  expect(readApp(folder)).toEqual(after);
  expect(output).not.toMatch(/\+\+\+|Add to/);
});
