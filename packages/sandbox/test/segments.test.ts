import { describe, expect, test } from "vitest";
import { countSegments, encodingOf } from "../src/service/segments.ts";

describe("GSM-7", () => {
  test.each([
    ["one segment up to 160 septets", "a".repeat(160), 1],
    ["two segments from 161", "a".repeat(161), 2],
    ["153 septets in each of several parts", "a".repeat(306), 2],
    ["a third segment from 307", "a".repeat(307), 3],
    ["two septets for a character of the extension table", "€".repeat(80), 1],
    ["a second segment from 81 of those", "€".repeat(81), 2],
    // 76 pairs leave one of the 153 septets unused: 152 pairs fill two segments, the next begins a third.
    ["no pair split between segments", "€".repeat(152), 2],
    ["an unused septet before a pair", "€".repeat(153), 3],
    ["the first half of a pair never at the end of a segment", `${"a".repeat(152)}€${"a".repeat(152)}`, 3],
    ["a complete pair at the end of a segment", `${"a".repeat(151)}€${"a".repeat(153)}`, 2],
    ["two septets for CR and LF", "\r\n".repeat(80), 1],
    ["the national letters of the table", "ÄÖÑÜ§¿äöñüàΔΦΓΛΩΠΨΣΘΞ".repeat(7), 1],
  ])("has the right number of segments: %s", (_, text, segments) => {
    expect(countSegments(text)).toBe(segments);
  });
});

describe("UCS-2, for the whole text when one character is outside of GSM-7", () => {
  test.each([
    ["one segment up to 70 units", `${"a".repeat(69)}ç`, 1],
    ["two segments from 71", `${"a".repeat(70)}ç`, 2],
    ["67 units in each of several parts", "ж".repeat(134), 2],
    ["a third segment from 135", "ж".repeat(135), 3],
    ["two units for a surrogate pair", "😀".repeat(35), 1],
    // 33 pairs leave one of the 67 units unused.
    ["no pair split between segments", "😀".repeat(66), 2],
    ["an unused unit before a pair", "😀".repeat(67), 3],
    ["one unit for a character of the GSM-7 extension", `ж${"€".repeat(69)}`, 1],
    // A grapheme of several characters can be split between them: 67 + 67 units.
    ["a letter and its combining mark in different segments", `${"ж".repeat(66)}e\u0301${"ж".repeat(66)}`, 2],
    ["a family in different segments", `${"ж".repeat(65)}👨‍👩‍👧${"ж".repeat(61)}`, 2],
    ["one unit for half of a pair", `${"ж".repeat(69)}\ud83d`, 1],
  ])("has the right number of segments: %s", (_, text, segments) => {
    expect(countSegments(text)).toBe(segments);
  });
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
