import { resolve } from "node:path";
import { expect, test } from "vitest";
import { attacksDocument } from "./attacks-document.ts";
import { lines } from "./lines.ts";
import { filesByLine } from "./titles.ts";

const root = resolve(import.meta.dirname, "../..");

test("docs/attacks.md lists every line with its tests", async () => {
  await expect(attacksDocument()).toMatchFileSnapshot(resolve(root, "docs/attacks.md"));
});

test("every line has a test, unless it is not built yet", () => {
  const files = filesByLine();
  const untested = lines.filter(({ id, notBuilt }) => !files.has(id) && notBuilt === undefined);
  expect(untested).toEqual([]);
});

test("every line in a title is in the list", () => {
  const known = new Set(lines.map(({ id }) => id));
  const unknown = [...filesByLine()].filter(([id]) => !known.has(id));
  expect(unknown).toEqual([]);
});

test("the lines are L1 to L46 and W1 to W19, each in one sentence of at most twenty words", () => {
  const ids = [46, 22].flatMap((count, kind) =>
    Array.from({ length: count }, (_, index) => `${"LW"[kind]}${index + 1}`),
  );
  expect(lines.map(({ id }) => id)).toEqual(ids);
  expect(lines.filter(({ holds }) => holds.split(" ").length > 20 || !/^[^|]+\.$/.test(holds))).toEqual([]);
});
