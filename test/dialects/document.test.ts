import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { dialectChoices } from "@doorcode/sandbox";
import { describe, expect, test } from "vitest";
import { rows } from "./dialects.ts";

const document = readFileSync(resolve(import.meta.dirname, "../../docs/service-gaps.md"), "utf8");

/** The last cell of each line of the table: what the sandbox answers. */
const cells = [...document.matchAll(/^\|.*\| (.*) \|$/gm)].map(([, cell = ""]) => cell);

/** What a cell lists behind the name of a row: choices in code, each with a remark in brackets or none. */
function choicesIn(cell: string, row: string): readonly string[] | undefined {
  const [, list] = new RegExp(`\`${row}\`: ((?:\`[^\`]+\`(?: \\([^)]*\\))?(?:, )?)+)`).exec(cell) ?? [];
  return list?.replaceAll(/ \([^)]*\)/g, "").match(/(?<=`)[^`, ]+(?=`)/g) ?? undefined;
}

describe("docs/service-gaps.md", () => {
  test.each(rows())("names every choice of %s in one line, the default first", (row) => {
    const named = cells.map((cell) => choicesIn(cell, row)).filter((choices) => choices !== undefined);
    expect(named).toEqual([dialectChoices[row].map(String)]);
  });

  test("says of each open row how the sandbox answers", () => {
    const lines = document.split("\n").filter((line) => line.startsWith("| "));
    expect(lines.map((line) => line.split(" | ").length)).toEqual(lines.map(() => 3));
    expect(cells).toHaveLength(lines.length);
  });
});
