import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { root } from "./repository.ts";

/** One sentence that says what is new, and below it a list with an item for each detail. */
const news = /^---\n(?:"@doorcode\/[\w-]+": \w+\n)+---\n\n[^\n]+\.\n(?:\n(?:- [^\n]+[.?`]\n)+)?$/;

test.each(globSync(".changeset/*.md", { cwd: root }))("%s reads as one sentence, and a list of its details", (file) => {
  expect(readFileSync(resolve(root, file), "utf8")).toMatch(news);
});
