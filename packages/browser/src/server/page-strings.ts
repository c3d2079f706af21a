import { en } from "../strings/en.ts";
import { knownLanguage, languages } from "../strings/languages.ts";
import { mergeStrings } from "../strings/merge-strings.ts";
import type { Strings, StringsOverride } from "../strings/strings.ts";

/** The words of a page, and those of them that its script does not have. */
export interface PageStrings {
  readonly strings: Strings;
  /** The script has the English words. Undefined if the page needs no other ones. */
  readonly sent: StringsOverride | undefined;
}

/** Returns the words of a language, of which a page of your own may show more: `stringsOf("de").confirm.login`. English for an unknown one. */
export function stringsOf(lang: string): Strings {
  return languages[knownLanguage(lang) ?? "en"] ?? en;
}

/** Chooses the words of a page: those of its language, else English, with the words of the app in their place. */
export function pageStrings(language: string, override: StringsOverride | undefined): PageStrings {
  const tag = knownLanguage(language) ?? "en";
  const strings = mergeStrings(stringsOf(tag), override);
  return { strings, sent: tag === "en" ? override : strings };
}
