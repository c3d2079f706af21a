import { expect, test } from "vitest";
import { parseLanguage } from "../../src/codes/code-strategy.ts";
import { createCodeTexts } from "../../src/codes/code-texts.ts";
import { parsePhoneNumber } from "../../src/phone/phone-number.ts";

test.each([
  ["de-aaaaa-bbbbb-ccccc-ddddd-eeeeeeee", true],
  ["de-aaaaa-bbbbb-ccccc-dddddd-eeeeeeee", false],
])("a language tag has at most 35 characters: %s is one: %s", (tag, expected) => {
  expect(parseLanguage(tag) !== undefined).toBe(expected);
});

test.each([
  [200, "+4915123456789"],
  [201, undefined],
])("a typed number has at most 200 characters: of %i it is read as %s", (length, e164) => {
  expect(parsePhoneNumber("+4915123456789".padStart(length))?.e164).toBe(e164);
});

test.each([
  ["GSM-7", "a", 150],
  ["other letters", "ы", 60],
])("a text that is sent to the letter is one SMS with the longest code, in %s", (_letters, letter, room) => {
  const create = (length: number) => createCodeTexts({ en: `${letter.repeat(length)}{code}` }, undefined);
  create(room);
  expect(() => create(room + 1)).toThrow(/expected one SMS: .*shorten it by 1/);
});

test("after the code of a text comes a full stop and then a space, or the end", () => {
  const create = (after: string) => createCodeTexts({ en: `Your code is {code}${after}` }, "app.example.com");
  create(".");
  create(". Thank you");
  for (const after of ["", " ", ".Thank you", "!"]) expect(() => create(after)).toThrow("a full stop after it");
});
