import type { Strings, StringsOverride } from "./strings.ts";

/** Replaces words of a language. An object of words replaces only the words that it names. */
export function mergeStrings(base: Strings, override: StringsOverride = {}): Strings {
  const merged = Object.entries(override).map(([name, words]) => {
    const before = base[name as keyof Strings];
    const merges = typeof words === "object" && typeof before === "object";
    return [name, merges ? { ...before, ...words } : words];
  });
  return { ...base, ...Object.fromEntries(merged) };
}
