import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js/max";

/** A number that was parsed: what is kept and sent (`e164`), and what policy looks at. */
export interface PhoneNumber {
  /** `+` and digits, the one spelling of this number. */
  readonly e164: string;
  /** ISO 3166 code; undefined for numbers of no country, such as +800. */
  readonly country: string | undefined;
  /** As the numbering plan has it: `MOBILE`, `FIXED_LINE`, `PREMIUM_RATE`, … */
  readonly type: string | undefined;
}

/**
 * Parses what a person typed into a phone number, or answers `undefined` for anything that is none.
 *
 * All spellings of a number meet in one `e164`; an extension is refused, since the code would go to a switchboard.
 *
 * @param text - with `+` and country code, or as dialled inside `defaultCountry`.
 * @param defaultCountry - ISO 3166 code; without it only the international form is a number.
 */
export function parsePhoneNumber(text: string, defaultCountry?: string): PhoneNumber | undefined {
  if (text.length > 64) return undefined;
  const international = text
    .trim()
    .replace(/^tel:/i, "")
    .replace(/^00/, defaultCountry === undefined ? "+" : "00");
  const country = defaultCountry !== undefined && isCountry(defaultCountry) ? defaultCountry : undefined;
  const parsed = parsePhoneNumberFromString(international, {
    extract: false,
    ...(country && { defaultCountry: country }),
  });
  if (!parsed?.isValid() || parsed.ext !== undefined) return undefined;
  return { e164: parsed.number, country: parsed.country, type: parsed.getType() };
}

/** Tells whether the text is the ISO 3166 code of a country that has phone numbers. */
export function isCountry(code: string): code is CountryCode {
  return isSupportedCountry(code);
}

/** Masks an E.164 number for people and logs: country code and the last digits stay. */
export function maskPhone(e164: string): string {
  const callingCode = parsePhoneNumberFromString(e164)?.countryCallingCode ?? "";
  const visible = e164.length - callingCode.length > 8 ? 4 : 2;
  return `+${callingCode} ••• ••• ${e164.slice(-visible)}`;
}
