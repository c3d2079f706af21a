import { describe, expect, test } from "vitest";
import { readOriginBound } from "../src/service/origin-bound.ts";

const line = "@example.com #123456";
const bound = { host: "example.com", code: "123456" };

describe("L12: a text is read as a browser reads it", () => {
  test.each([
    ["the line alone", line, bound],
    ["words and the line", `Your code is 123456.\n\n${line}`, bound],
    ["localhost", "@localhost #123456", { host: "localhost", code: "123456" }],
    ["exactly 140 characters", `${"a".repeat(119)}\n${line}`, bound],
  ])("%s", (_what, text, expected) => {
    expect(readOriginBound(text)).toEqual({ bound: expected, problem: undefined });
  });

  test.each([
    ["a line break after the line", `${line}\n`, "not_last_line"],
    ["words after the line", `${line}\nThe Example team`, "not_last_line"],
    ["words in the line", `Your code: ${line}`, "wrong_form"],
    ["a space after the code", `${line} `, "wrong_form"],
    ["a full stop after the code", `${line}.`, "wrong_form"],
    ["two spaces", "@example.com  #123456", "wrong_form"],
    ["no space", "@example.com#123456", "wrong_form"],
    ["a tab", "@example.com\t#123456", "wrong_form"],
    ["a carriage return", `${line}\r\n`, "wrong_form"],
    ["an origin in place of a host", "@https://example.com #123456", "wrong_form"],
    ["a port", "@localhost:3000 #123456", "wrong_form"],
    ["an empty label", "@example..com #123456", "wrong_form"],
  ])("%s: no code is found", (_what, text, problem) => {
    expect(readOriginBound(text)).toEqual({ bound: undefined, problem });
  });

  test("141 characters: the line has a code, which browsers do not read", () => {
    expect(readOriginBound(`${"a".repeat(120)}\n${line}`)).toEqual({ bound, problem: "too_long" });
  });

  test.each([
    "Your code is 123456.",
    "Write to support@example.com about order #123456.",
    "",
    "@example.com",
    "#123456",
  ])("%j has no such line", (text) => {
    expect(readOriginBound(text)).toBeUndefined();
  });
});
