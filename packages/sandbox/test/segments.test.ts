import { expect, test } from "vitest";
import { countSegments, encodingOf } from "../src/service/segments.ts";

// Texts that the oracle of segments-oracle.test.ts counts otherwise: it never splits a grapheme of several characters.
test.each([
  ["a letter and its combining mark in different segments", `${"ж".repeat(66)}e\u0301${"ж".repeat(66)}`, 2],
  ["a family in different segments", `${"ж".repeat(65)}👨‍👩‍👧${"ж".repeat(61)}`, 2],
  ["half of a pair as one unit", `${"ж".repeat(69)}\ud83d`, 1],
])("counts %s", (_, text, segments) => {
  expect(countSegments(text)).toBe(segments);
});

test.each([
  ["", "GSM-7"],
  ["\f^{}\\[~]|€", "GSM-7"],
  ["Ç", "GSM-7"],
  ["ç", "UCS-2"],
  ["`", "UCS-2"],
  ["\u001b", "UCS-2"],
  ["\t", "UCS-2"],
  ["😀", "UCS-2"],
])("encodes %j as %s", (text, encoding) => {
  expect(encodingOf(text)).toBe(encoding);
});
