import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(resolve(root, file), "utf8");

const lines = [...read("docs/attacks.md").matchAll(/^\| ([LW]\d+) \|/gm)].map(([, line = ""]) => line);

/** The lines at the beginning of the titles of a file: "L15, L17: a start …". Titles of `describe` count too. */
function linesIn(file: string): readonly string[] {
  const titles = read(file).matchAll(/["'`]((?:[LW]\d+, )*[LW]\d+): /g);
  return [...titles].flatMap(([, ids = ""]) => ids.split(", "));
}

test("every line of docs/attacks.md has a test, and every line in a title stands there", () => {
  const files = globSync(["test/**/*.ts", "packages/*/test/**/*.ts"], { cwd: root });
  expect(lines).toContain("L46");
  expect([...new Set(files.flatMap(linesIn))].toSorted()).toEqual(lines.toSorted());
});
