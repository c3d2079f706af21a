/** Full-width, Arabic-Indic and Persian digits. The last four bits of each are its value. */
const otherDigits = /[０-９٠-٩۰-۹]/g;
/** Spaces, dashes of every kind, and characters that nobody sees, such as direction marks and zero-width spaces. */
const separators = /[\s\p{Cf}\p{Pd}\u2212\u30fc]/gu;

/**
 * Writes digits that a person typed or pasted as ASCII digits, without the spaces and dashes between them. All other
 * characters stay, so that the caller can refuse them.
 */
export function compactDigits(text: string): string {
  return text.replace(separators, "").replace(otherDigits, (digit) => String(digit.charCodeAt(0) & 0xf));
}
