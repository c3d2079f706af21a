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
  const base = languages[language.toLowerCase().split("-")[0] ?? ""] ?? en;
  const merged = Object.entries(override).map(([name, words]) => {
    const before = base[name as keyof Strings];
    const merges = typeof words === "object" && typeof before === "object";
    return [name, merges ? { ...before, ...words } : words];
  });
  return { ...base, ...Object.fromEntries(merged) };
}
