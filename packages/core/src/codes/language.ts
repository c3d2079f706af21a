/** RFC 5646, section 4.4.1: room for every tag that is in use. */
const maxCharacters = 35;

/**
 * Parses a language tag (BCP 47) into its canonical form; `undefined` for anything else, which is no reason to refuse a
 * login.
 */
export function parseLanguage(text: string | undefined): string | undefined {
  if (text === undefined || text.length > maxCharacters) return undefined;
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    return undefined;
  }
}

/** Looks a language up, then the same without its last part: `pt-BR`, then `pt`. RFC 4647, section 3.4. */
export function lookUpLanguage<Item>(byLanguage: ReadonlyMap<string, Item>, language: string): Item | undefined {
  const found = byLanguage.get(language);
  if (found !== undefined || !language.includes("-")) return found;
  // A single letter begins an extension, and means nothing without it.
  return lookUpLanguage(byLanguage, language.replace(/(?:-[^-])?-[^-]+$/, ""));
}
