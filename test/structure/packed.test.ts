import { existsSync, globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { root } from "./repository.ts";

const folders = globSync("packages/*", { cwd: root });

test.each(folders)("%s publishes no file of an old build", (folder) => {
  const built = globSync(`${folder}/dist/**/*.js`, { cwd: root });
  const sourceOf = (file: string, ending: string) => file.replace("/dist/", "/src/").replace(/js$/, ending);
  const orphans = built.filter((file) =>
    ["ts", "tsx", "d.ts"].every((ending) => !existsSync(resolve(root, sourceOf(file, ending)))),
  );
  expect(built.length).toBeGreaterThan(0);
  expect(orphans).toEqual([]);
});

test.each(folders)("%s carries the licence", (folder) => {
  expect(readFileSync(resolve(root, folder, "LICENSE"), "utf8")).toBe(readFileSync(resolve(root, "LICENSE"), "utf8"));
});
