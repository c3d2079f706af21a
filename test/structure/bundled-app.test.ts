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

/** Bundles a package and what it needs of Doorcode, and returns what the bundle exports. */
async function bundle<Exports>(entry: string): Promise<Exports> {
  const build = await rolldown({ input: entry, cwd: root, plugins: [installed], ...likeEsbuild });
  const { output } = await build.generate({ format: "cjs" });
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
