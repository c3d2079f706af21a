import { createRecentlyUsed } from "../util/recently-used.ts";

/** The end of a cookie or a token is a digest of the rest. It finds a text faster than the whole one, which is compared afterwards. */
const digestCharacters = 45;

/**
 * Remembers what the texts of cookies or tokens say, because to unseal one costs many times as much as the rest of a guard. It is what a text
 * says, never whether that is still valid. A text that comes again gives the same object.
 *
 * @param read - reads a text that is not known. A text that says nothing is not remembered.
 * @param maxKnown - the number of texts that are remembered; those that were not used recently make room.
 */
export function rememberTexts<Content extends object>(
  read: (text: string) => Content | undefined,
  maxKnown = 10_000,
): (text: string) => Content | undefined {
  const recent = createRecentlyUsed<{ readonly text: string; readonly content: Content }>(maxKnown);
  return (text) => {
    const digest = text.slice(-digestCharacters);
    const known = recent.find(digest);
    if (known?.text === text) return known.content;
    const content = read(text);
    if (content) recent.keep(copyOf(digest), { text: copyOf(text), content });
    return content;
  };
}

/** Copies a part of a header. The part itself would keep the whole header in memory, with all other cookies. */
function copyOf(ascii: string): string {
  return Buffer.from(ascii).toString();
}
