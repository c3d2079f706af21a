import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { judged } from "../mutants/judged.ts";

const sources = resolve(import.meta.dirname, "../../packages/core/src");

test("every judged mutant changes a line that stands once in its file", () => {
  const stale = judged.filter(({ file, line, change }) => {
    const text = readFileSync(resolve(sources, file), "utf8");
    const lines = text.split("\n").filter((candidate) => candidate.trim() === line);
    const [changed = ""] = change.split(" → ");
    return lines.length !== 1 || !text.replace(/\s+/g, " ").includes(changed);
  });
  expect(stale).toEqual([]);
});

test("no mutant is judged twice", () => {
  const names = judged.map(({ file, line, change }) => `${file}: ${line}: ${change}`);
  expect(names).toEqual([...new Set(names)]);
});
