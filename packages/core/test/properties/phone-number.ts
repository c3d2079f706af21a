import assert from "node:assert/strict";
import fc from "fast-check";
import type { CountryCode } from "libphonenumber-js/max";
import { parseE164, parsePhoneNumber } from "../../src/phone/phone-number.ts";
import {
  countries,
  internationalPrefixes,
  type PlannedNumber,
  plannedNumbers,
  validLines,
  validNumbers,
} from "./phone-plans.ts";
import { anyText, createProperty, mutated, type ParserProperty } from "./property.ts";
import { disguised, separator } from "./typed-text.ts";

const punctuation = fc.constantFrom(..."./~．／～");
const country = fc.constantFrom(...countries);
/** Some plans have numbers, such as 4 digits for a company, that E.164 is too short or too long for. */
const isE164 = (text: string) => /^\+[0-9]{7,15}$/.test(text);
const plus = fc.constantFrom("+", "＋");

/** Every way to begin a number with a country code: once, with a zero or a trunk prefix after it, and two or three times. */
function afterPrefix({ callingCode, trunkPrefix, national }: PlannedNumber): readonly string[] {
  const between = ["", "(0)", " ( 0 ) ", trunkPrefix, callingCode, `(0)${callingCode}`, `${trunkPrefix}${callingCode}`];
  const further = [
    `${callingCode}(0)`,
    `${callingCode}${trunkPrefix}`,
    `${callingCode}${callingCode}`,
    `00${callingCode}`,
  ];
  return [...between, ...further].map((middle) => `${callingCode}${middle}${national}`);
}

/** Every way in which a person inside the country may write the number. */
function spellingsInside(number: PlannedNumber): fc.Arbitrary<string> {
  const { country, trunkPrefix, national } = number;
  const begun = fc.constantFrom(...afterPrefix(number));
  const inside = ["", trunkPrefix, "(0)"].map((prefix) => `${prefix}${national}`);
  return fc.oneof(fc.constantFrom(...inside), spellingsAbroad(number, country), begun);
}

/** Every way in which a person in any country may write a number with its country code. */
function spellingsAbroad(number: PlannedNumber, from: CountryCode): fc.Arbitrary<string> {
  const prefix = fc.oneof(plus, fc.constant("00"), internationalPrefixes.get(from) ?? fc.constant("00"));
  return fc.tuple(prefix, fc.constantFrom(...afterPrefix(number))).map((parts) => parts.join(""));
}

const asTyped = (texts: fc.Arbitrary<string>) =>
  fc
    .tuple(
      fc.constantFrom("", "", "", "tel:", "TEL:", "tel: "),
      disguised(texts, fc.oneof(separator, separator, punctuation)),
    )
    .map((parts) => parts.join(""));

const typedInside = validNumbers.chain((number) =>
  fc.record({ number: fc.constant(number), text: asTyped(spellingsInside(number)) }),
);
const typedAbroad = fc
  .tuple(validNumbers, country)
  .chain(([number, from]) =>
    fc.record({ number: fc.constant(number), from: fc.constant(from), text: asTyped(spellingsAbroad(number, from)) }),
  );
const anySpelling = fc.oneof(typedInside, typedAbroad).map(({ text }) => text);
const anyInput = fc.record({
  text: fc.oneof(
    anyText,
    anySpelling,
    mutated(anySpelling, fc.oneof(fc.string({ maxLength: 3 }), separator, punctuation)),
  ),
  country: fc.oneof(fc.constant(undefined), country, fc.string({ maxLength: 3 })),
});

/** Reads the digits of a text apart from the parser: by the names that Unicode gives to digits. */
function digitsOf(text: string): string {
  const values = Array.from(text.matchAll(/\p{Nd}/gu), ([digit]) => {
    const code = digit.codePointAt(0) ?? 0;
    return [0x30, 0x660, 0x6f0, 0xff10].map((zero) => code - zero).find((value) => value >= 0 && value <= 9);
  });
  return values.join("");
}

/** The invariants of `parsePhoneNumber` and `parseE164`. */
export const phoneNumberProperties: readonly ParserProperty[] = [
  createProperty(
    "L28: a spelling of a number is read as that number or refused, in its country",
    typedInside,
    (input) => {
      const { number, text } = input;
      const answer = parsePhoneNumber(text, number.country);
      if (answer !== undefined) assert.equal(answer.e164, number.e164);
    },
  ),
  createProperty(
    "L28: a spelling with a country code is read as its number or refused, in any country",
    typedAbroad,
    (input) => {
      const { number, from, text } = input;
      const answer = parsePhoneNumber(text, from);
      if (answer !== undefined) assert.equal(answer.e164, number.e164);
    },
  ),
  createProperty("L28: E.164 is read as itself or refused", fc.record({ number: plannedNumbers, country }), (input) => {
    const { e164 } = input.number;
    assert.ok([e164, undefined].includes(parsePhoneNumber(e164, input.country)?.e164));
    assert.ok([e164, undefined].includes(parseE164(e164)?.e164));
  }),
  createProperty(
    "L28: a number with + is accepted unless it may begin with its country code twice",
    validNumbers.chain((number) =>
      fc.record({ number: fc.constant(number), text: disguised(fc.constant(number.e164), separator) }),
    ),
    ({ number, text }) => {
      if (number.national.startsWith(number.callingCode) || !isE164(number.e164)) return;
      assert.equal(parsePhoneNumber(text)?.e164, number.e164);
      assert.equal(parseE164(number.e164)?.e164, number.e164);
    },
  ),
  createProperty(
    "L28: a number as dialled inside its country is accepted unless it begins like one with a country code",
    validLines,
    ({ country, callingCode, trunkPrefix, national, e164 }) => {
      const dialled = [`${trunkPrefix}${national}`, national];
      if (dialled.some((text) => text.startsWith(callingCode) || text.startsWith("00"))) return;
      if (!isE164(e164)) return;
      // In Colombia no trunk prefix is dialled before a mobile number.
      assert.ok(dialled.some((text) => parsePhoneNumber(text, country)?.e164 === e164));
    },
  ),
  createProperty(
    "L28: scripts, spaces, dashes and invisible characters change nothing",
    anySpelling.chain((text) =>
      fc.record({ text: fc.constant(text), other: disguised(fc.constant(text), separator), country }),
    ),
    ({ text, other, country }) => {
      if (Math.max(text.length, other.length) > 64) return;
      assert.deepEqual(parsePhoneNumber(other, country), parsePhoneNumber(text, country));
    },
  ),
  createProperty(
    "L28: any other character between the digits of a number is refused, and before or after them it changes nothing",
    fc.record({
      text: anySpelling,
      at: fc.nat(),
      other: fc.constantFrom(..."aElOxX#*,;:+!_@'\"°²①٪🙂".split(/(?:)/u)),
      country,
    }),
    ({ text, at, other, country }) => {
      // At the beginning a plus belongs to the number.
      const place = other === "+" ? text.length - (at % Math.ceil(text.length / 3)) : at % (text.length + 1);
      const [before, after] = [text.slice(0, place), text.slice(place)];
      const answer = parsePhoneNumber(before + other + after, country);
      if (/\p{Nd}/u.test(before) && /\p{Nd}/u.test(after)) assert.equal(answer, undefined);
      else if (answer) assert.deepEqual(answer, parsePhoneNumber(text, country));
    },
  ),
  createProperty(
    "L28: any text is refused, or read as a number that ends in its digits",
    anyInput,
    ({ text, country }) => {
      const answer = parsePhoneNumber(text, country);
      if (answer === undefined) return;
      assert.match(answer.e164, /^\+[1-9][0-9]{6,14}$/);
      assert.ok(digitsOf(text).endsWith(answer.e164.slice(-4)));
      assert.deepEqual(parseE164(answer.e164), answer);
      assert.ok([answer.e164, undefined].includes(parsePhoneNumber(answer.e164, country)?.e164));
    },
  ),
];
