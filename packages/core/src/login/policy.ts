import { DoorcodeError } from "../errors.ts";
import { type PhoneNumber, parsePhoneNumber } from "../phone-number.ts";

/** Types of numbers that cost whoever is called, or the one who calls, more than a text. */
const refusedTypes: ReadonlySet<string> = new Set([
  "PREMIUM_RATE",
  "SHARED_COST",
  "PERSONAL_NUMBER",
  "UAN",
  "VOICEMAIL",
  "PAGER",
]);

/**
 * Parses a typed number and admits it only from a country on the list and of an ordinary type.
 *
 * @param countries - ISO 3166 codes; with a single one, its national spelling needs no `country`.
 * @throws {@link DoorcodeError} `phone_invalid`, `country_not_allowed` or `number_type_not_allowed`
 */
export function admitPhone(text: string, country: string | undefined, countries: readonly string[]): PhoneNumber {
  const only = countries.length === 1 ? countries[0] : undefined;
  const number = parsePhoneNumber(text, country ?? only);
  if (!number) throw new DoorcodeError("phone_invalid");
  if (number.country === undefined || !countries.includes(number.country))
    throw new DoorcodeError("country_not_allowed");
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
