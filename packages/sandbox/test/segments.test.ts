import { describe, expect, test } from "vitest";
import { countSegments } from "../src/service/segments.ts";

describe("GSM-7", () => {
  test.each([
    ["one part up to 160 septets", "a".repeat(160), 1],
    ["two parts from 161", "a".repeat(161), 2],
    ["153 septets in each of several parts", "a".repeat(306), 2],
    ["a third part from 307", "a".repeat(307), 3],
    ["two septets for a character of the extension table", "€".repeat(80), 1],
    ["a second part from 81 of those", "€".repeat(81), 2],
    // 76 pairs leave one septet of the 153 unused: 152 pairs fill two parts, the next begins a third.
    ["no pair astride two parts", "€".repeat(152), 2],
    ["an unused septet before a pair", "€".repeat(153), 3],
    ["the national letters of the table", "ÄÖÑÜ§¿äöñüàΔΦΓΛΩΠΨΣΘΞ".repeat(7), 1],
  ])("takes %s", (_, text, parts) => {
    expect(countSegments(text)).toBe(parts);
  });
});

describe("UCS-2, for the whole text as soon as one character is outside of GSM-7", () => {
  test.each([
    ["one part up to 70 units", `${"a".repeat(69)}ç`, 1],
    ["two parts from 71", `${"a".repeat(70)}ç`, 2],
    ["67 units in each of several parts", "ж".repeat(134), 2],
    ["a third part from 135", "ж".repeat(135), 3],
    ["two units for a surrogate pair", "😀".repeat(35), 1],
    // 33 pairs leave one unit of the 67 unused.
    ["no pair astride two parts", "😀".repeat(66), 2],
    ["an unused unit before a pair", "😀".repeat(67), 3],
  ])("takes %s", (_, text, parts) => {
    expect(countSegments(text)).toBe(parts);
  });
});
