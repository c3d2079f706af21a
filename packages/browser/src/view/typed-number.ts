/** Arabic-Indic and Persian digits; those of full width are made plain by NFKC. */
const otherDigits = /[٠-٩۰-۹]/g;

/** Writes all digits of a text as ASCII digits, and plus signs and spaces of any width as plain ones. */
export function plainText(text: string): string {
  return text.normalize("NFKC").replace(otherDigits, (digit) => String(digit.charCodeAt(0) & 15));
}

/** Writes a typed phone number with nothing but its digits and a plus. The server reads the number; this only looks at it. */
export function asciiNumber(text: string): string {
  return plainText(text).replace(/[^\d+]/g, "");
}

const runs = /\d+/g;
/** Digits, and between two of them at most one separator: a space, a dash, a dot or an invisible sign. */
const groups = /\d(?:[\s\p{Cf}\p{Pd}.]?\d)*/gu;
const minDigits = 4;
const maxDigits = 10;

/**
 * Finds the code in a text that was typed, pasted or filled in: `123 456`, `G-123456`, or a whole message.
 *
 * @param length - the number of digits; `null` if it is unknown.
 * @returns the digits; `undefined` if the text holds none, or several that may be meant.
 */
export function codeIn(text: string, length: number | null): string | undefined {
  const plain = plainText(text);
  const isCode = (digits: string) =>
    length === null ? digits.length >= minDigits && digits.length <= maxDigits : digits.length === length;
  for (const form of [runs, groups]) {
    const found = (plain.match(form) ?? []).map((group) => group.replace(/\D/g, "")).filter(isCode);
    const [code, ...others] = new Set(found);
    if (others.length === 0 && code !== undefined) return code;
  }
  return undefined;
}
