import { readFileSync, realpathSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import {
  compiledPattern,
  esmPackages,
  ignoredPatterns,
  transformerText,
} from "../../packages/cli/src/init/jest/transformer.ts";
import { root } from "./repository.ts";

/** The packages that an app or its tests import. */
const imported = [
  "core",
  "express",
  "fastify",
  "fetch",
  "browser",
  "sqlite",
  "redis",
  "postgres",
  "operations",
  "sandbox",
];

/** What a `require` may ask for. */
const conditions = ["require", "node", "default"];

/** Returns the file that `require` of a package would load; undefined for a package without such a file. */
function requiredFile({ exports, main = "index.js" }: { exports?: unknown; main?: string }): string | undefined {
  if (exports === undefined) return main;
  return targetOf(Object(exports)["."] ?? exports);
}

function targetOf(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  const [first] = Object.entries(Object(target)).filter(([condition]) => conditions.includes(condition));
  return first && targetOf(first[1]);
}

/** The nearest package.json decides: that of a package's CommonJS build stands in the folder of the build. */
function isModule(file: string): boolean {
  const nearest = findPackageJSON(pathToFileURL(file));
  const { type } = nearest === undefined ? {} : JSON.parse(readFileSync(nearest, "utf8"));
  return file.endsWith(".mjs") || (file.endsWith(".js") && type === "module");
}

/** Adds the names of a package and of all that it needs, if `require` of them loads an ES module. */
function collect(manifestPath: string, seen: Set<string>, found: Set<string>): void {
  if (seen.has(manifestPath)) return;
  seen.add(manifestPath);
  const manifest = JSON.parse(readFileSync(manifestPath, "utf8"));
  const file = requiredFile(manifest);
  if (file !== undefined && isModule(join(dirname(manifestPath), file)))
    found.add(manifest.name.startsWith("@doorcode/") ? "@doorcode" : manifest.name);
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    const below = findPackageJSON(name, manifestPath);
    if (below !== undefined) collect(realpathSync(below), seen, found);
  }
}

test("Jest compiles exactly the packages that an app imports and that are ES modules only", () => {
  const found = new Set<string>();
  for (const name of imported) collect(join(root, "packages", name, "package.json"), new Set(), found);
  expect([...esmPackages]).toEqual([...found].toSorted());
});

test("the recipe for Jest in the documentation is what init writes", () => {
  const document = readFileSync(join(root, "packages/core/docs/testing.md"), "utf8");
  expect(document).toContain(transformerText.slice(transformerText.indexOf("const")));
  for (const pattern of [compiledPattern, ignoredPatterns[0]]) expect(document).toContain(JSON.stringify(pattern));
});
