import { createRequire } from "node:module";
import { type Plugin, rolldown } from "rolldown";
import { expect, test } from "vitest";
import { root } from "./repository.ts";

// As esbuild bundles for servers, unless it is told otherwise: `import.meta` is an empty object in CommonJS.
const likeEsbuild = { platform: "node", transform: { define: { "import.meta": "{}" } } } as const;

/** Takes what Doorcode imports from where Doorcode is, as an app does that has it installed. */
const installed: Plugin = {
  name: "installed",
  resolveId(id, importer) {
    if (importer === undefined || /^([./]|node:|@doorcode\/)/.test(id)) return null;
    return { id: createRequire(importer).resolve(id), external: "absolute" };
  },
};

/** An app with a login on a fetch host. */
const loginApp: Plugin = {
  name: "login-app",
  resolveId: (id) => (id === "login-app" ? id : null),
  load: (id) => (id === "login-app" ? 'export * from "@doorcode/core"; export * from "@doorcode/fetch";' : null),
};

/** Bundles a package or an app and what it needs of Doorcode, and returns what the bundle exports. */
async function bundle<Exports>(entry: string): Promise<Exports> {
  const build = await rolldown({ input: entry, cwd: root, plugins: [loginApp, installed], ...likeEsbuild });
  const { output } = await build.generate({ format: "cjs", codeSplitting: false });
  await build.close();
  const bundled = { exports: {} as Exports };
  new Function("module", "exports", "require", output[0].code)(
    bundled,
    bundled.exports,
    createRequire(import.meta.url),
  );
  return bundled.exports;
}

test.each(["express", "fastify", "fetch"])("an app with @doorcode/%s can be bundled as CommonJS", async (name) => {
  expect(await bundle(`@doorcode/${name}`)).toHaveProperty("phoneLogin");
});

test("a bundled app is told to pass the store itself instead of its file", async () => {
  const { createDoorcode } = await bundle<typeof import("@doorcode/core")>("@doorcode/core");
  expect(() => createDoorcode({ store: "./doorcode.sqlite" })).toThrow("pass the store instead: createSqliteStore");
});

test("a bundled app serves the description of its endpoints", async () => {
  type App = typeof import("@doorcode/core") & typeof import("@doorcode/fetch");
  const { createDoorcode, createMemoryStore, phoneLogin, providerCodes } = await bundle<App>("login-app");
  const doorcode = createDoorcode({
    store: createMemoryStore(),
    session: { password: "a password of the tests, long enough" },
    login: {
      countries: ["DE"],
      codes: providerCodes({ send: ({ phone }) => ({ id: phone }), check: () => false }),
      onLogin: () => "user",
    },
  });
  const login = phoneLogin(doorcode, { basePath: "/login", openapi: true });
  const request = new Request("http://localhost/login/openapi.json");
  const answer = await login(request, { remoteAddress: undefined });
  expect(answer?.status).toBe(200);
  expect(await answer?.json()).toMatchObject({ openapi: "3.1.1", paths: { "/start": { post: {} } } });
});
