import { existsSync, globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

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

  test("carries the licence", () => {
    expect(readFileSync(resolve(root, folder, "LICENSE"), "utf8")).toBe(readFileSync(resolve(root, "LICENSE"), "utf8"));
  });
});
