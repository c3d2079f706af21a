import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { phoneLoginScript, phoneLoginStyle } from "@doorcode/browser/server";
import { rolldown } from "rolldown";
import { describe, expect, test } from "vitest";
import { bundleEntry, makeBundle } from "../../scripts/bundle-browser.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "packages/browser");
const zippedBytes = (text: string) => gzipSync(text, { level: 9 }).length;

test("the built script and style are what the sources give", async () => {
  expect(readFileSync(join(folder, "dist/bundle.js"), "utf8")).toBe(await makeBundle());
});

describe("T6: minified and gzipped", () => {
  test("the client has less than 4 kB", async () => {
    expect(zippedBytes(await bundleEntry("index.ts"))).toBeLessThan(4000);
  });

  test("client and element together have less than 12 kB, with the English words", () => {
    expect(zippedBytes(phoneLoginScript)).toBeLessThan(12_000);
  });
});

// The names under which hosts ask for a module: Cloudflare, Vercel, Deno, Bun and Node.
test.each(["workerd", "edge-light", "deno", "bun", "node"])(
  "a server of %s, which has no page, can import ./define",
  async (condition) => {
    const conditionNames = [condition, "@doorcode/source", "import", "default"];
    const build = await rolldown({ input: "@doorcode/browser/define", cwd: folder, resolve: { conditionNames } });
    const { output } = await build.generate({ format: "esm" });
    await build.close();
    const url = `data:text/javascript,${encodeURIComponent(output[0].code)}`;
    await expect(import(/* @vite-ignore */ url)).resolves.toBeDefined();
  },
);

test("neither script has an import, a comment or an absolute URL", () => {
  expect(phoneLoginScript).not.toMatch(/\bimport\b|\bfrom`|https:\/\//);
  expect(phoneLoginStyle).not.toMatch(/@import|url\(|\/\*/);
});

test("what a page loads imports nothing of Node, and of core only types", () => {
  const imports = [...phoneLoginScript.matchAll(/node:|@doorcode\/core/g)];
  expect(imports).toEqual([]);
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  expect(dependencies).toBeUndefined();
});
