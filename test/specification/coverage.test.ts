import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import type { Rule } from "./rule.ts";
import { parts } from "./rules.ts";

const root = resolve(import.meta.dirname, "../..");
const rules: readonly Rule[] = parts.flatMap((part): readonly Rule[] => part.rules);

test("no id occurs twice", () => {
  const ids = rules.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test("each rule is shown, or has a reason why no test can show it", () => {
  const wrong = rules.filter(({ shownOn, shownBy, reason }) => {
    const isShown = shownOn.length + Object.keys(shownBy).length > 0;
    return isShown === Boolean(reason);
  });
  expect(wrong).toEqual([]);
});

test.each(["sandbox", "kit"] as const)("what else shows a rule on the %s has tests there", (place) => {
  const attacks = readFileSync(resolve(root, "docs/attacks.md"), "utf8");
  const tested = rules.filter(({ shownOn }) => shownOn.includes(place)).map(({ id }) => id);
  const named = rules.flatMap(({ shownBy }) => shownBy[place] ?? []);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !tested.includes(name) && !attacks.includes(`\n| ${name} |`))).toEqual([]);
});

test("there are nine parts, each described by its file and no other", () => {
  expect(parts).toHaveLength(9);
  for (const [index, { file }] of parts.entries()) {
    expect(readFileSync(resolve(root, file), "utf8")).toMatch(new RegExp(`^describePart\\(${index + 1}, `, "m"));
  }
  const files = globSync("test/specification/*.test.ts", { cwd: root }).filter(
    (file) => !file.endsWith("/coverage.test.ts"),
  );
  expect(files.toSorted()).toEqual(parts.map(({ file }) => file).toSorted());
});

test("no test of a rule is skipped, expected to fail, or run alone", () => {
  const sources = globSync("test/specification/**/*.ts", { cwd: root });
  const guilty = sources.filter((file) =>
    /\b(?:test|it|describe)\.(?:skip|skipIf|runIf|only|todo|fails)\b/.test(readFileSync(resolve(root, file), "utf8")),
  );
  expect(sources.length).toBeGreaterThan(20);
  expect(guilty).toEqual([]);
});
