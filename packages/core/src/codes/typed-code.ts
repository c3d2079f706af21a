import { compactDigits } from "../phone/phone-number.ts";
import { DoorcodeError } from "../util/errors.ts";

/**
 * Parses a code that a person typed or pasted: Latin, full-width, Arabic-Indic or Persian digits, with spaces, dashes
 * and invisible characters between them. Returns ASCII digits.
 *
 * Anything else is refused before it is counted as an attempt.
 *
 * @param digits - the minimum and maximum number of digits.
 * @throws {@link DoorcodeError} `code_malformed`
 */
export function parseTypedCode(
  text: string | undefined,
  { min, max }: { readonly min: number; readonly max: number },
): string {
  if (text === undefined) throw new DoorcodeError("code_malformed", { message: "`code` is missing." });
  const code = compactDigits(text);
  if (!/^[0-9]+$/.test(code) || code.length < min || code.length > max) throw new DoorcodeError("code_malformed");
  return code;
}
