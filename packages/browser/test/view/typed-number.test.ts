import { describe, expect, test } from "vitest";
import { readArrival } from "../../src/element/code-arrival.ts";
import { countryOf, firstCountry, sortedCountries } from "../../src/view/countries.ts";
import { ownPath } from "../../src/view/own-path.ts";
import { codeIn } from "../../src/view/typed-number.ts";

describe("T18: a code is found in", () => {
  test.each([
    ["123456", "123456"],
    ["123 456", "123456"],
    ["123\u00a0456", "123456"],
    ["123–456", "123456"],
    ["123-456", "123456"],
    ["1 2 3 4 5 6", "123456"],
    ["G-123456", "123456"],
    ["Your code is 123456", "123456"],
    ["123456 is your code. Never share it.", "123456"],
    ["Your code is 123456. 5 minutes left.", "123456"],
    ["Your code is 123456.\n\n@app.example.com #123456", "123456"],
    ["\u200e123456\u200f", "123456"],
    ["١٢٣٤٥٦", "123456"],
    ["۱۲۳۴۵۶", "123456"],
    ["１２３４５６", "123456"],
  ])("%j", (text, code) => {
    expect(codeIn(text, 6)).toBe(code);
  });
});

describe("no code is found in", () => {
  test.each([["12345"], ["1234567"], ["123456 or 654321"], [""], ["code"]])("%j", (text) => {
    expect(codeIn(text, 6)).toBeUndefined();
  });
});

test("T24: a code of unknown length is one run of four to ten digits", () => {
  expect(
    ["1234", "1234567890", "Code: 123 456", "12", "12345678901", "1234 or 5678"].map((text) => codeIn(text, null)),
  ).toEqual(["1234", "1234567890", "123456", undefined, undefined, undefined]);
});

describe("a change of the code field", () => {
  const arrival = (change: object) =>
    readArrival({ before: "", value: "123456", inputType: undefined, pasted: undefined, length: 6, ...change });

  test("T19: by autofill, as one event without a kind, is a whole code", () => {
    expect(arrival({})).toEqual({ code: "123456", isWhole: true });
    expect(arrival({ inputType: "insertReplacementText" })).toEqual({ code: "123456", isWhole: true });
  });

  test("T20: by the clipboard of a keyboard, as typed text, is a whole code", () => {
    expect(arrival({ inputType: "insertText" })).toEqual({ code: "123456", isWhole: true });
  });

  test("T18: by paste is freed of the words around it, and replaces an old code", () => {
    const pasted = "Your code is 123456";
    expect(arrival({ before: "654321", value: pasted, pasted, inputType: "insertFromPaste" })).toEqual({
      code: "123456",
      isWhole: true,
    });
  });

  test("T25: is no whole code when the last digit was typed, or only a part was pasted", () => {
    const nothing = { code: undefined, isWhole: false };
    expect(arrival({ before: "12345", inputType: "insertText" })).toEqual(nothing);
    expect(arrival({ before: "23456", inputType: "insertText" })).toEqual(nothing);
    expect(arrival({ before: "1234567", inputType: "deleteContentBackward" })).toEqual(nothing);
    expect(arrival({ before: "12", inputType: "insertFromPaste", pasted: "3456" })).toEqual(nothing);
  });

  test("T24: is never a whole code when its length is unknown", () => {
    expect(arrival({ length: null })).toEqual({ code: "123456", isWhole: false });
    expect(arrival({ length: null, value: "1234", inputType: "insertText" })).toEqual({
      code: undefined,
      isWhole: false,
    });
  });
});

const germany = { country: "DE", callingCode: "49", example: "01512 3456789" };
const britain = { country: "GB", callingCode: "44", example: "07400 123456" };
const jersey = { country: "JE", callingCode: "44", example: "07797 712345" };
const countries = [germany, britain, jersey];

describe("T12: the country of a number", () => {
  test.each([
    ["+49 1512 3456789", germany],
    ["0049 1512 3456789", germany],
    ["＋４９ 1512", germany],
    ["+٤٩ ١٥١٢", germany],
    ["(+49) 1512", germany],
    ["+44 7400 123456", britain],
    ["01512 3456789", undefined],
    ["49 1512 3456789", undefined],
    ["+4", undefined],
    ["", undefined],
  ])("%s", (text, expected) => {
    expect(countryOf(text, countries, "DE")).toBe(expected);
  });

  test("stays as it was chosen when several have the calling code", () => {
    expect(countryOf("+44 7797 712345", countries, "JE")).toBe(jersey);
  });

  test("T15: is refused only when no offered country has the calling code", () => {
    expect(countryOf("+33 6 12 34 56 78", countries, "DE")).toBe("refused");
    // Where 00 does not lead abroad, a number may begin so.
    expect(countryOf("0033 6 12 34 56 78", countries, "DE")).toBeUndefined();
    expect(countryOf("+33 6 12 34 56 78", [], undefined)).toBeUndefined();
  });
});

test("the first country is that of the language, if it is offered", () => {
  expect(["de", "en-GB", "en", "fr-CA"].map((language) => firstCountry(countries, language))).toEqual([
    "DE",
    "GB",
    "DE",
    "DE",
  ]);
  expect(firstCountry([], "de")).toBeUndefined();
});

test("many countries are sorted by their names in the language, a few stay in their order", () => {
  const many = ["ZA", "ES", "AT", ...Array.from({ length: 20 }, () => "ZW")].map((country) => ({
    ...germany,
    country,
  }));
  const first = (language: string) =>
    sortedCountries(many, language)
      .slice(0, 3)
      .map(({ country }) => country);
  expect(first("en")).toEqual(["AT", "ZA", "ES"]);
  expect(sortedCountries(many.slice(0, 3), "en")).toEqual(many.slice(0, 3));
});

describe("a path of this site", () => {
  test.each([
    ["/account?tab=1#top", "/account?tab=1#top"],
    ["/a/../b", "/b"],
    ["//evil.example", undefined],
    ["/\\evil.example", undefined],
    ["/\t/evil.example", undefined],
    ["/.//evil.example", undefined],
    ["https://evil.example", undefined],
    ["javascript:alert(1)", undefined],
    ["account", undefined],
    ["", undefined],
  ])("%j", (text, expected) => {
    expect(ownPath(text)).toBe(expected);
  });
});
