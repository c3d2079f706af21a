import { existsSync, globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { findDeclarations, findImports } from "../../scripts/unread-files.ts";

const root = resolve(import.meta.dirname, "../..");
const { hooks } = createRequire(import.meta.url)("../../.pnpmfile.cjs");

const packageOf = (name: string) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;

/** Returns what a value names, at any depth: the files of `exports`, for example. */
const textsIn = (value: unknown): string[] =>
  typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [String(value)];

describe.each(globSync("packages/*", { cwd: root }))("what %s publishes", (folder) => {
  test("contains no file without a source", () => {
    // A chunk holds what several entries of a bundled package have in common.
    const built = globSync(`${folder}/dist/**/*.js`, { cwd: root, exclude: ["**/chunks"] });
    const sourceOf = (file: string, ending: string) => file.replace("/dist/", "/src/").replace(/js$/, ending);
    const orphans = built.filter((file) =>
      ["ts", "tsx", "d.ts"].every((ending) => !existsSync(resolve(root, sourceOf(file, ending)))),
    );
    expect(built.length).toBeGreaterThan(0);
    expect(orphans).toEqual([]);
  });

  const manifest = JSON.parse(readFileSync(resolve(root, folder, "package.json"), "utf8"));
  const modules = globSync(`${folder}/dist/**/*.js`, { cwd: root }).map((file) => join(root, file));
  const published = [...modules, ...findDeclarations(resolve(root, folder))];

  test("imports only packages that an app gets with it, or must have", () => {
    const named = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    const strangers = published.flatMap((file) =>
      findImports(file)
        .filter((name) => !/^[.#]|^node:/.test(name) && !named.includes(packageOf(name)))
        .map((name) => `${file}: ${name}`),
    );
    expect(strangers).toEqual([]);
  });

  test("imports, or finds a file of, every package that it brings", () => {
    const found = published.flatMap((file) => [
      ...findImports(file),
      ...[...readFileSync(file, "utf8").matchAll(/\.resolve\("([^"]+)"\)/g)].map(([, name = ""]) => name),
    ]);
    const used = new Set(found.map(packageOf));
    expect(Object.keys(manifest.dependencies ?? {}).filter((name) => !used.has(name))).toEqual([]);
  });

  test("has each file that its package.json names", () => {
    const { exports, typesVersions, bin, main, types } = hooks.beforePacking(manifest);
    const named = textsIn([exports, typesVersions, bin, main, types]).filter((name) => name.startsWith("./"));
    const has = (name: string) =>
      ["package.json", ...manifest.files].some((file) => name === `./${file}` || name.startsWith(`./${file}/`));
    expect(named.filter((name) => !has(name) || !existsSync(resolve(root, folder, name)))).toEqual([]);
  });

  test("is trimmed when it is packed", () => {
    expect(manifest.scripts.prepack).toMatch(/ && node \.\.\/\.\.\/scripts\/trim-package\.ts$/);
  });

  test("carries the licence", () => {
    expect(readFileSync(resolve(root, folder, "LICENSE"), "utf8")).toBe(readFileSync(resolve(root, "LICENSE"), "utf8"));
  });
});

test.each(["core", "cli"])(
  "%s is built again after it was packed, because a release packs those that build on it all at once",
  (name) => {
    const references = globSync("packages/*/tsconfig.json", { cwd: root }).flatMap((file) => [
      ...readFileSync(resolve(root, file), "utf8").matchAll(/"path": "\.\.\/([^"]+)"/g),
    ]);
    expect(new Set(references.map(([, name]) => name))).toEqual(new Set(["core", "cli"]));
    const { scripts } = JSON.parse(readFileSync(resolve(root, "packages", name, "package.json"), "utf8"));
    expect(scripts.postpack).toBe("tsc -b");
  },
);
