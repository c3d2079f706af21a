import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { dialectChoices } from "@doorcode/sandbox";
import { describe, expect, test } from "vitest";
import { rows } from "./dialects.ts";

const document = readFileSync(resolve(import.meta.dirname, "../../docs/service-gaps.md"), "utf8");

/** The last cell of each line of the table: the answer of the sandbox. */
const cells = [...document.matchAll(/^\|.*\| (.*) \|$/gm)].map(([, cell = ""]) => cell);

/** Returns the choices that a cell lists after the name of a row. Each may have a remark in brackets. */
function choicesIn(cell: string, row: string): readonly string[] | undefined {
  const [, list] = new RegExp(`\`${row}\`: ((?:\`[^\`]+\`(?: \\([^)]*\\))?(?:, )?)+)`).exec(cell) ?? [];
  return list?.replaceAll(/ \([^)]*\)/g, "").match(/(?<=`)[^`, ]+(?=`)/g) ?? undefined;
}

describe("docs/service-gaps.md", () => {
  test.each(rows())("names every choice of %s in one line, the default first", (row) => {
    const named = cells.map((cell) => choicesIn(cell, row)).filter((choices) => choices !== undefined);
    expect(named).toEqual([dialectChoices[row].map(String)]);
  });

  test("has three cells in each line", () => {
    const lines = document.split("\n").filter((line) => line.startsWith("| "));
    expect(lines.map((line) => line.split(" | ").length)).toEqual(lines.map(() => 3));
    expect(cells).toHaveLength(lines.length);
  });
});
