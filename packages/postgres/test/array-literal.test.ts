import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { writeArray } from "../src/connection/array-literal.ts";

/** What pg sends for a list. */
const { prepareValue }: { prepareValue(list: readonly unknown[]): string } = createRequire(import.meta.url)(
  "pg/lib/utils.js",
);

test("writes texts as pg does, whatever characters they have", () => {
  const texts = ["", "a", "NULL", "null", '"', "\\", '\\"', "{}", "a,b", " ", "\n\t\u0001", "ä😀", "'", null];
  for (const text of texts) expect(writeArray([text])).toBe(prepareValue([text]));
  expect(writeArray(texts)).toBe(prepareValue(texts));
  expect(writeArray([])).toBe("{}");
});

test("writes numbers, truth values and nulls without quotation marks", () => {
  expect(writeArray([0, -1, 0.5, 604_800, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY])).toBe(
    "{0,-1,0.5,604800,9007199254740991,Infinity}",
  );
  expect(writeArray([true, null, false, undefined])).toBe("{true,NULL,false,NULL}");
});
