import { SegmentedMessage } from "sms-segments-calculator";
import { expect, test } from "vitest";
import { countSegments, encodingOf } from "../src/service/segments.ts";

// The oracle never splits a grapheme of several code points: a family, a flag, a letter with a combining mark. The standard
// does: UCS-2 has 16-bit units and no graphemes (3GPP TS 23.038, 6.2.3), and only a character "shall not be split in the
// middle" (TS 23.040, 9.2.3.24.1). So no alphabet here has code points that combine with others.

const basic =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
const extension = "\f^{}\\[~]|€";
const ucs2 = "çêőŠžЖдя漢字あア—“”…`’";
const pairs = "😀🎉🐢🚀𝄞𐍈🀄";

const kinds = {
  "basic characters only": [basic],
  "some characters of the extension table": [basic, basic, basic, extension],
  "mostly characters of the extension table": [basic, extension, extension],
  "some characters outside of GSM-7": [basic, basic, extension, ucs2],
  "some surrogate pairs": [basic, ucs2, ucs2, pairs],
  "mostly surrogate pairs": [ucs2, pairs, pairs],
};

const seed = Math.trunc(Math.random() * 2 ** 32);

// The oracle is slow. Every run has another seed, so that all runs together try many more texts.
test.each(Object.entries(kinds))(
  `random texts have the segments and the encoding of an independent calculator: %s (seed ${seed})`,
  (_, alphabets) => {
    const draw = createDraw(seed);
    for (let index = 0; index < 60; index++) {
      const text = randomText(draw, alphabets);
      const oracle = new SegmentedMessage(text);
      const expected = { segments: oracle.segmentsCount, encoding: oracle.encodingName };
      expect({ segments: countSegments(text), encoding: encodingOf(text) }, JSON.stringify(text)).toEqual(expected);
    }
  },
);

// Texts that the oracle counts otherwise.
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

type Draw = (below: number) => number;

/** Mulberry32: returns the same integers for the same seed. */
function createDraw(seed: number): Draw {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function randomText(draw: Draw, alphabets: readonly string[]): string {
  const characters = alphabets.map((alphabet) => [...alphabet]);
  const gsm7 = alphabets.every((alphabet) => alphabet === basic || alphabet === extension);
  const size = randomSize(draw, gsm7 ? [153, 160, 306, 459] : [67, 70, 134, 201]);
  let text = "";
  for (let used = 0; used < size; ) {
    const alphabet = characters[draw(characters.length)] ?? [];
    const character = alphabet[draw(alphabet.length)] ?? "";
    used += gsm7 && extension.includes(character) ? 2 : character.length;
    text += character;
  }
  return text;
}

/** Returns a length up to 1,000 units of the encoding. Five of six are near the end of a segment. */
function randomSize(draw: Draw, borders: readonly number[]): number {
  return draw(6) === 0 ? draw(1_001) : (borders[draw(borders.length)] ?? 0) - 6 + draw(13);
}
