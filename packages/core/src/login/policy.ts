import { DoorcodeError } from "../primitives/errors.ts";
import { type PhoneNumber, parsePhoneNumber } from "../primitives/phone-number.ts";

/** The ISO 3166 codes of the countries whose numbers may log in, or `"any"` for all of them. */
export type AllowedCountries = readonly string[] | "any";

/** Types of numbers where a text or a call costs more than an ordinary one. */
const refusedTypes: ReadonlySet<string> = new Set([
  "PREMIUM_RATE",
  "SHARED_COST",
  "PERSONAL_NUMBER",
  "UAN",
  "VOICEMAIL",
  "PAGER",
]);

/**
 * Parses a typed number and allows it only from a listed country and of an ordinary type.
 *
 * @param countries - if there is only one, its national spelling needs no `country`.
 * @throws {@link DoorcodeError} `phone_invalid`, `country_not_allowed` or `number_type_not_allowed`
 */
export function allowTypedPhone(text: string, country: string | undefined, countries: AllowedCountries): PhoneNumber {
  // "any" is a text of three letters, and so no list of one.
  const only = countries.length === 1 ? countries[0] : undefined;
  return allowPhone(parsePhoneNumber(text, country ?? only), countries);
}

/**
 * Allows a number only from a listed country and of an ordinary type.
 *
 * @throws {@link DoorcodeError} `phone_invalid`, `country_not_allowed` or `number_type_not_allowed`
 */
export function allowPhone(number: PhoneNumber | undefined, countries: AllowedCountries): PhoneNumber {
  if (!number) throw new DoorcodeError("phone_invalid");
  const { country } = number;
  // A number without a country, such as +800 or the satellites of +881, is in no list and has no known price.
  const isAllowed = country !== undefined && (countries === "any" || countries.includes(country));
  if (!isAllowed) throw new DoorcodeError("country_not_allowed");
  if (number.type !== undefined && refusedTypes.has(number.type)) throw new DoorcodeError("number_type_not_allowed");
  return number;
}

/**
 * Puts the wanted channel first; the others stay as fallbacks.
 *
 * @throws {@link DoorcodeError} `channel_not_allowed` for a channel that is not offered
 */
export function orderChannels(channels: readonly string[], wanted: string | undefined): readonly string[] {
  if (wanted === undefined) return channels;
  if (!channels.includes(wanted)) throw new DoorcodeError("channel_not_allowed");
  return [wanted, ...channels.filter((channel) => channel !== wanted)];
}
