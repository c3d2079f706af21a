/** The valid tokens, in words. */
export const tokenExpectation = "a secret of at least 16 letters, digits or signs, without spaces";

/** Tells whether a text can be the token of a sandbox. A header must be able to carry it, so it is visible ASCII. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]{16,}$/.test(text);
}
