import { de } from "./de.ts";
import { en } from "./en.ts";
import type { Strings, StringsOverride } from "./strings.ts";

/** The languages that the package has. */
const languages: Readonly<Record<string, Strings>> = { de, en };

/**
 * Chooses the words for a language: those of its primary language, else English, each of which an override may replace.
 *
 * An object of words replaces only those that it names.
 */
export function chooseStrings(language: string, override: StringsOverride = {}): Strings {
  const base = languages[primaryOf(language)] ?? en;
  const merged = Object.entries(override).map(([name, words]) => {
    const before = base[name as keyof Strings];
    const merges = typeof words === "object" && typeof before === "object";
    return [name, merges ? { ...before, ...words } : words];
  });
  return { ...base, ...Object.fromEntries(merged) };
}

/**
 * Chooses the language of a page: the first one that the browser prefers and the package has, else English.
 *
 * @param acceptLanguage - the value of the header, such as `de-AT,de;q=0.9,en;q=0.8`.
 */
export function preferredLanguage(acceptLanguage: string | undefined): string {
  const preferred = (acceptLanguage ?? "").split(",").map((item) => {
    const [tag = "", ...parameters] = item.trim().split(";");
    const quality = parameters.map((parameter) => /^\s*q=([\d.]+)$/.exec(parameter)?.[1]).find(Boolean);
    return { tag, quality: Number(quality ?? 1) };
  });
  const sorted = preferred.toSorted((left, right) => right.quality - left.quality);
  const known = sorted.find(({ tag, quality }) => quality > 0 && Object.hasOwn(languages, primaryOf(tag)));
  return known ? primaryOf(known.tag) : "en";
}

function primaryOf(tag: string): string {
  return tag.toLowerCase().split("-")[0] ?? "";
}
