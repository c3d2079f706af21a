import { DoorcodeError } from "../primitives/errors.ts";
import { type PhoneNumber, parsePhoneNumber } from "../primitives/phone-number.ts";

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
 * @param countries - ISO 3166 codes. If there is only one, its national spelling needs no `country`.
 * @throws {@link DoorcodeError} `phone_invalid`, `country_not_allowed` or `number_type_not_allowed`
 */
export function allowTypedPhone(text: string, country: string | undefined, countries: readonly string[]): PhoneNumber {
  const only = countries.length === 1 ? countries[0] : undefined;
  return allowPhone(parsePhoneNumber(text, country ?? only), countries);
}

/**
 * Allows a number only from a listed country and of an ordinary type.
 *
 * @throws {@link DoorcodeError} `phone_invalid`, `country_not_allowed` or `number_type_not_allowed`
 */
export function allowPhone(number: PhoneNumber | undefined, countries: readonly string[]): PhoneNumber {
  if (!number) throw new DoorcodeError("phone_invalid");
  const isListed = number.country !== undefined && countries.includes(number.country);
  if (!isListed) throw new DoorcodeError("country_not_allowed");
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
