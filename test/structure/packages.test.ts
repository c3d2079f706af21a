import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { repositoryPage, root } from "./repository.ts";

const folders = globSync("packages/*", { cwd: root });
const textOf = (file: string) => readFileSync(resolve(root, file), "utf8");
const read = (file: string) => JSON.parse(textOf(file));
const { author, license, bugs, repository } = read("package.json");

test.each(folders)("%s says where it comes from, and is published with its provenance", (folder) => {
  expect(read(`${folder}/package.json`)).toMatchObject({
    author,
    license,
    bugs,
    homepage: `${repositoryPage}/tree/main/${folder}#readme`,
    repository: { ...repository, directory: folder },
    publishConfig: { access: "public", provenance: true },
    keywords: expect.arrayContaining(["doorcode"]),
    engines: { node: ">=22.19" },
  });
});

test("every address of the repository is the one in package.json", () => {
  const { stdout } = spawnSync("git", ["grep", "-ohE", "https://github\\.com/[^/]+/doorcode\\b"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(new Set(stdout.trim().split("\n"))).toEqual(new Set([repositoryPage]));
});

test.each(folders)("%s publishes no file of an old build", (folder) => {
  const built = globSync(`${folder}/dist/**/*.js`, { cwd: root });
  const sourceOf = (file: string, ending: string) => file.replace("/dist/", "/src/").replace(/js$/, ending);
  const orphans = built.filter((file) =>
    ["ts", "tsx", "d.ts"].every((ending) => !existsSync(resolve(root, sourceOf(file, ending)))),
  );
  expect(built.length).toBeGreaterThan(0);
  expect(orphans).toEqual([]);
});

test("a project with the page alone gets core, whose types the page has: npm installs no optional peers", () => {
  const { peerDependencies, peerDependenciesMeta } = read("packages/browser/package.json");
  expect(Object.keys(peerDependencies)).toEqual(["@doorcode/core"]);
  expect(peerDependenciesMeta).toBeUndefined();
});

test.each(folders)("%s carries the licence", (folder) => {
  expect(textOf(`${folder}/LICENSE`)).toBe(textOf("LICENSE"));
});

/** One sentence that says what is new, and below it a list with an item for each detail. */
const news = /^---\n(?:"@doorcode\/[\w-]+": \w+\n)+---\n\n[^\n]+\.\n(?:\n(?:- [^\n]+[.?`]\n)+)?$/;

test.each(globSync(".changeset/*.md", { cwd: root }))("%s reads as one sentence, and a list of its details", (file) => {
  expect(textOf(file)).toMatch(news);
});
