import assert from "node:assert/strict";
import fc from "fast-check";
import { parseLanguage } from "../../src/codes/code-strategy.ts";
import { lookUpLanguage } from "../../src/codes/code-texts.ts";
import { anyText, createProperty, mutated, type ParserProperty } from "./property.ts";

const tags = fc.constantFrom(
  "de",
  "DE-at",
  "pt-BR",
  "zh-Hant-TW",
  "en-u-ca-buddhist",
  "sl-rozaj-biske-1994",
  "x-private",
  "iw",
);
const strangers = fc.constantFrom("-", "_", " ", "-x", "-u-", "ä", "\u0000", "1".repeat(9));
const texts = fc.oneof(tags, anyText, mutated(tags, strangers));

/** The invariants of `parseLanguage`, and of the look-up of what it has parsed. */
export const languageProperties: readonly ParserProperty[] = [
  createProperty("any text is read as a canonical tag or as none", texts, (text) => {
    const language = parseLanguage(text);
    if (language === undefined) return;
    assert.match(language, /^[a-z0-9]+(-[a-z0-9]+)*$/i);
    assert.deepEqual(Intl.getCanonicalLocales(language), [language]);
  }),
  createProperty("a language is found in itself, and as what its first part alone says", texts, (text) => {
    const language = parseLanguage(text);
    if (language === undefined) return;
    const [first = ""] = language.split("-");
    const here = new Map([[language, "itself"]]);
    assert.equal(lookUpLanguage(here, language), "itself");
    assert.equal(lookUpLanguage(new Map([[first, "first"]]), language), "first");
    assert.equal(lookUpLanguage(new Map([["xx", "other"]]), language), first === "xx" ? "other" : undefined);
  }),
];
