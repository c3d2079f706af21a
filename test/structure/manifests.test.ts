import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { repositoryPage, root } from "./repository.ts";

const read = (file: string) => JSON.parse(readFileSync(resolve(root, file), "utf8"));
const { author, license, bugs, repository } = read("package.json");

test.each(globSync("packages/*", { cwd: root }))(
  "%s says where it comes from, and is published with its provenance",
  (folder) => {
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
  },
);

test("every address of the repository is the one in package.json", () => {
  const { stdout } = spawnSync("git", ["grep", "-ohE", "https://github\\.com/[^/]+/doorcode\\b"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(new Set(stdout.trim().split("\n"))).toEqual(new Set([repositoryPage]));
});
