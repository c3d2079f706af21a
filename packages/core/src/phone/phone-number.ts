import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  isSupportedCountry,
  type PhoneNumber as LibraryNumber,
  Metadata,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max";
import examples from "libphonenumber-js/mobile/examples";

/** A parsed phone number. The kit stores and sends `e164`; the policy checks the other members. */
export interface PhoneNumber {
  /** The number in E.164: `+` and digits. Every spelling of a number has the same `e164`. */
  readonly e164: string;
  /** The ISO 3166 code of the country; `undefined` for numbers without a country, such as +800. */
  readonly country: string | undefined;
  /** The type in the numbering plan: `MOBILE`, `FIXED_LINE`, `PREMIUM_RATE`, … */
  readonly type: string | undefined;
}

/** The ISO 3166 code of a country that has phone numbers, such as `DE`. */
export type Country = CountryCode;

/** Full-width, Arabic-Indic and Persian digits. The last four bits of each are its value. */
const otherDigits = /[０-９٠-٩۰-۹]/g;
/** Spaces, dashes of every kind, and characters that nobody sees, such as direction marks and zero-width spaces. */
const separators = /[\s\p{Cf}\p{Pd}\u2212\u30fc]/gu;

/** Writes typed or pasted digits as ASCII digits, without spaces and dashes. Other characters stay, to be refused. */
export function compactDigits(text: string): string {
  return text.replace(separators, "").replace(otherDigits, (digit) => String(digit.charCodeAt(0) & 0xf));
}

const maxCharacters = 200;
const e164Form = /^\+[1-9][0-9]{6,14}$/;
const punctuation = /[./~．／～]/g;
const brackets = /[()[\]（）［］]/g;
const bracketedZero = /[([（［]+0[)\]）］]+/;

/**
 * Parses a phone number as a person typed it. Returns `undefined` for any other text, and for a number whose digits can be read as two
 * different valid numbers: a code must not go to a stranger, so the parser does not choose. `4915123456789` in Germany is +49 151 23456789
 * without its +, or a landline in the area 04915; `+49 49 15123456789` may have its country code twice.
 *
 * Words may stand around the number if no other digit does. An extension such as `ext 3` is left out after a surely mobile number, and
 * refused after any other, because the code would go to a switchboard.
 *
 * @param text - the number with `+` and country code, or as dialled inside `defaultCountry`, or as dialled from there to another country;
 * at most 200 characters.
 * @param defaultCountry - ISO 3166 code; without it only the international form with `+` or `00` is accepted.
 */
export function parsePhoneNumber(text: string, defaultCountry?: string): PhoneNumber | undefined {
  if (text.length > maxCharacters) return undefined;
  const visible = text.replace(/\p{Cf}/gu, "");
  const withoutExtension = visible.replace(extension, "");
  const spelling = spellingIn(withoutExtension);
  if (spelling === undefined) return undefined;
  const country = defaultCountry !== undefined && isCountry(defaultCountry) ? defaultCountry : undefined;
  const number = readSpelling(spelling, country);
  return withoutExtension === visible || number?.type === "MOBILE" ? number : undefined;
}

/** An extension at the end, in the languages of the login page, and in a `tel:` link. */
const extension =
  /[\s,;]*(?:ext(?:n|ension|ensión|ensão)?|durchwahl|poste|ramal|interno|wewn\p{L}*|dahili)[\s.:=]*[0-9]{1,6}\P{N}*$/iu;
/** A text with digits: the words before them, the signs of a number before them, from the first digit to the last, and what stands after. */
const aroundDigits =
  /^(\P{N}*?)([+＋\s\p{Pd}\u2212\u30fc./~．／～()[\]（）［］]*)([0-9０-９٠-٩۰-۹](?:.*[0-9０-９٠-٩۰-۹])?)(\P{N}*)$/su;
/** Words of any language, and the signs between them. */
const words = /^[\p{L}\p{M}\s\p{Pd}\u2212\u30fc\p{Ps}\p{Pe}\p{Pi}\p{Pf}.,:;!?¡¿'"/~|．／～：，、。]*$/u;
/** A letter at the number, or an O, an I or an l beside it: it may be meant as a digit. */
const letterBefore = /(?:[\p{L}\p{M}]\p{Pd}*|(?<![\p{L}\p{M}])[OoIl]+[\s\p{Pd}]*)$/u;
const letterAfter = /^(?:\p{Pd}*[\p{L}\p{M}]|[\s\p{Pd}]*[OoIl]+(?![\p{L}\p{M}]))/u;

/** Finds the one number of a text, without the words around it. */
function spellingIn(text: string): string | undefined {
  const [, before = "", signs = "", digits, after = ""] = aroundDigits.exec(text) ?? [];
  if (digits === undefined || !words.test(before) || !words.test(after)) return undefined;
  return letterBefore.test(before + signs) || letterAfter.test(after) ? undefined : signs + digits;
}

function readSpelling(spelling: string, country: CountryCode | undefined): PhoneNumber | undefined {
  const compact = compactDigits(spelling).replace(punctuation, "").replace("＋", "+");
  const typed = compact.replace(brackets, "");
  // Characters that are not known here are left.
  if (!/^\+?[0-9]+$/.test(typed)) return undefined;
  // In `+39 (0)6` the zero is part of the number, in `+44 (0)20` it is not.
  const withoutZero = compact.replace(bracketedZero, "").replace(brackets, "");
  const [e164, ...others] = readingsOf(typed, country);
  if (withoutZero !== typed) others.push(...readingsOf(withoutZero, country));
  if (e164 === undefined || others.some((other) => other !== e164)) return undefined;
  return parseE164(e164);
}

/**
 * Parses a phone number that a program wrote in E.164: `+` and 7 to 15 digits. Returns `undefined` for any other text. Use
 * {@link parsePhoneNumber} for what a person typed: it also refuses a number whose country code may stand there twice.
 */
export function parseE164(text: string): PhoneNumber | undefined {
  const parsed = e164Form.test(text) ? parsePhoneNumberFromString(text) : undefined;
  // The library removes a trunk prefix after the country code.
  if (!parsed?.isValid() || parsed.number !== text) return undefined;
  return { e164: text, country: parsed.country, type: parsed.getType() };
}

/** Returns the numbers in E.164 that a person may have meant. */
function readingsOf(spelling: string, country: CountryCode | undefined): readonly string[] {
  if (spelling.startsWith("+")) return internationalReadings(spelling.slice(1));
  const abroad = internationalPrefixes(spelling, country).flatMap((prefix) =>
    internationalReadings(spelling.slice(prefix.length)),
  );
  if (country === undefined) return abroad;
  const callingCode = getCountryCallingCode(country);
  const national = [
    ...validE164(parsePhoneNumberFromString(spelling, country)),
    // The line above leaves this reading out when the library finds an international one.
    ...validE164(parsePhoneNumberFromString(`+${callingCode}${spelling}`)),
  ];
  const withoutPlus = spelling.startsWith(callingCode) ? internationalReadings(spelling) : [];
  return [...national, ...withoutPlus, ...abroad];
}

/**
 * Reads digits that begin with a country code. If the code may stand there twice, both readings are returned, even if only the second one
 * is valid: a number that the library does not know yet must not become another one.
 */
function internationalReadings(digits: string): readonly string[] {
  const parsed = parsePhoneNumberFromString(`+${digits}`);
  if (!parsed) return [];
  const { number, countryCallingCode, nationalNumber } = parsed;
  const rest = digits.slice(countryCallingCode.length);
  // The code comes again immediately, as 0049, or after a trunk prefix, which the library has removed.
  const again = [rest, rest.replace(/^00/, ""), nationalNumber].find((part) => part.startsWith(countryCallingCode));
  // The library adds an area code to some short numbers; digits that do not get shorter are no country code and a rest.
  const others = again === undefined || again.length >= digits.length ? [] : internationalReadings(again);
  return others.length > 0 || parsed.isValid() ? [number, ...others] : [];
}

/** Returns the beginnings of the digits that are international prefixes of the country. `00` is one everywhere. */
function internationalPrefixes(digits: string, country: CountryCode | undefined): readonly string[] {
  const ofCountry = country === undefined ? "" : `|${iddPrefixOf(country)}`;
  const prefixes = new RegExp(`^(?:00${ofCountry})$`);
  // One prefix may begin another: 001 in Hong Kong is a prefix, or 00 and the country code 1.
  return Array.from(digits, (_, index) => digits.slice(0, index)).filter((beginning) => prefixes.test(beginning));
}

function iddPrefixOf(country: CountryCode): string {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  return metadata.numberingPlan?.IDDPrefix() ?? "00";
}

function validE164(parsed: LibraryNumber | undefined): readonly string[] {
  return parsed?.isValid() ? [parsed.number] : [];
}

/** Tells whether the text is the ISO 3166 code of a country that has phone numbers. */
export function isCountry(code: string): code is Country {
  return isSupportedCountry(code);
}

/** Masks an E.164 number for pages and logs: only the country code and the last digits stay visible. */
export function maskPhone(e164: string): string {
  const callingCode = parsePhoneNumberFromString(e164)?.countryCallingCode ?? "";
  const visible = e164.length - callingCode.length > 8 ? 4 : 2;
  return `+${callingCode} ••• ••• ${e164.slice(-visible)}`;
}

/** Writes a number in E.164 as people do: `+49 1512 3456789`. */
export function formatInternational(e164: string): string {
  return parsePhoneNumberFromString(e164)?.formatInternational() ?? e164;
}

/** The ISO 3166 codes of all countries that have phone numbers. */
export const allCountries: readonly Country[] = getCountries();

/** Returns the calling code of a country, and a mobile number as it is dialled inside it. The number belongs to nobody. */
export function numberFormOf(country: Country): { readonly callingCode: string; readonly example: string } {
  const example = getExampleNumber(country, examples)?.formatNational() ?? "";
  return { callingCode: getCountryCallingCode(country), example };
}
