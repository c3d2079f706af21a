import { expect, test } from "vitest";
import { parseTypedCode } from "../../src/codes/code-strategy.ts";

const limits = { min: 4, max: 6 };
const malformed = expect.objectContaining({ code: "code_malformed" });

test.each([
  "123456",
  " 123 456\n",
  "123-456",
  "123–456",
  "123—456",
  "123−456",
  "\u2066123456\u2069",
  "１２３４５６",
  "١٢٣٤٥٦",
  "۱۲۳۴۵۶",
])("%j is the code 123456", (text) => {
  expect(parseTypedCode(text, limits)).toBe("123456");
});

test.each(["", "---", "123", "1234567", "12345a", "a12345", "१२३४५६", "G-123456", "123.456", "123,456", "12345²"])(
  "%j is refused",
  (text) => {
    expect(() => parseTypedCode(text, limits)).toThrow(malformed);
  },
);

test("a code that is missing is refused, and the message names it", () => {
  expect(() => parseTypedCode(undefined, limits)).toThrow(malformed);
  expect(() => parseTypedCode(undefined, limits)).toThrow("`code` is missing.");
});
