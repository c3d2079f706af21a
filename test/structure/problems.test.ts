import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { DoorcodeError } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { errorCodes as codes } from "../../packages/core/src/util/errors.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(resolve(root, file), "utf8");

/** The sections of the document, by their headings. */
const [, ...sections] = read("docs/problems.md").split(/^## /m);
const sectionOf = new Map(sections.map((section) => [section.split("\n")[0] ?? "", section]));

/** Makes the anchor of a heading as the site of the documents does: dots are left out. */
const anchors = [...sectionOf.keys()].map((heading) => heading.toLowerCase().replace(/[^\w-]/g, ""));
const written = [...read("docs/problems.md").matchAll(/<a id="([\w.]+)">/g)].map((found) => found[1]);

describe("the document of problems", () => {
  test("has a section for each code of an error, and no other", () => {
    expect(codes.length).toBeGreaterThan(40);
    // Of two sections with one heading, readers are led to the first.
    expect(sections.map((section) => section.split("\n")[0]).sort()).toEqual([...codes].sort());
  });

  test.each(codes)("%s: has the status, and says what to do", (code) => {
    const [, advice] = (sectionOf.get(code) ?? "").split("\n\n");
    expect(advice).toMatch(new RegExp(`^${new DoorcodeError(code).status}\\. \\S.*\\.$`, "m"));
  });

  test("has an anchor for each code, to which the type of a problem leads", () => {
    expect(codes.filter((code) => ![...anchors, ...written].includes(code))).toEqual([]);
  });
});
