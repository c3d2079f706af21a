import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js/max";

/** A parsed phone number. The kit stores and sends `e164`; the policy checks the other members. */
export interface PhoneNumber {
  /** The number in E.164: `+` and digits. Every spelling of a number has the same `e164`. */
  readonly e164: string;
  /** The ISO 3166 code of the country; `undefined` for numbers without a country, such as +800. */
  readonly country: string | undefined;
  /** The type in the numbering plan: `MOBILE`, `FIXED_LINE`, `PREMIUM_RATE`, … */
  readonly type: string | undefined;
}

/**
 * Parses a phone number as a person typed it. Returns `undefined` for any other text.
 *
 * A number with an extension is refused, because the code would go to a switchboard.
 *
 * @param text - the number with `+` and country code, or as dialled inside `defaultCountry`.
 * @param defaultCountry - ISO 3166 code; without it only the international form is accepted.
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

/** Masks an E.164 number for pages and logs: only the country code and the last digits stay visible. */
export function maskPhone(e164: string): string {
  const callingCode = parsePhoneNumberFromString(e164)?.countryCallingCode ?? "";
  const visible = e164.length - callingCode.length > 8 ? 4 : 2;
  return `+${callingCode} ••• ••• ${e164.slice(-visible)}`;
}
