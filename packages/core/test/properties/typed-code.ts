import assert from "node:assert/strict";
import fc from "fast-check";
import { parseTypedCode } from "../../src/codes/code-strategy.ts";
import { isDoorcodeError } from "../../src/util/errors.ts";
import { anyText, createProperty, mutated, type ParserProperty } from "./property.ts";
import { disguised, separator } from "./typed-text.ts";

const limits = { min: 4, max: 10 };
const codes = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: limits.min, maxLength: limits.max });
const typed = disguised(codes, separator);
/** Digits of other scripts, and characters that look like digits or stand beside a code. */
const strangers = fc.constantFrom(..."GlO٪०²①:.,#+/a\u0301🙂".split(/(?:)/u));

function parseOrRefuse(text: string): string | undefined {
  try {
    return parseTypedCode(text, limits);
  } catch (error) {
    assert.ok(isDoorcodeError(error) && error.code === "code_malformed");
    return undefined;
  }
}

/** The invariants of `parseTypedCode`. */
export const typedCodeProperties: readonly ParserProperty[] = [
  createProperty(
    "a code is read as its ASCII digits, in any script and with any separators",
    codes.chain((code) => fc.record({ code: fc.constant(code), text: disguised(fc.constant(code), separator) })),
    ({ code, text }) => assert.equal(parseOrRefuse(text), code),
  ),
  createProperty(
    "a code with any other character in it is refused",
    fc.record({ text: typed, at: fc.nat(), other: strangers }),
    ({ text, at, other }) => {
      const place = at % (text.length + 1);
      assert.equal(parseOrRefuse(text.slice(0, place) + other + text.slice(place)), undefined);
    },
  ),
  createProperty(
    "any text is read as the digits in it or refused with `code_malformed`, and a code is read as itself",
    fc.oneof(anyText, typed, mutated(typed, fc.oneof(strangers, separator, anyText))),
    (text) => {
      const code = parseOrRefuse(text);
      if (code === undefined) return;
      assert.match(code, /^[0-9]{4,10}$/);
      assert.equal(Array.from(text.matchAll(/\p{Nd}/gu)).length, code.length);
      assert.equal(parseOrRefuse(code), code);
    },
  ),
];
