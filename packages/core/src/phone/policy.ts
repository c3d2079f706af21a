import { DoorcodeError } from "../util/errors.ts";
import { takesNumber } from "./number-types.ts";
import { type PhoneNumber, parsePhoneNumber } from "./phone-number.ts";

/** The ISO 3166 codes of the countries whose numbers may log in, or `"any"` for all of them. */
export type AllowedCountries = readonly string[] | "any";

/**
 * Parses a typed number and allows it only from a listed country.
 *
 * @param countries - if there is only one, its national spelling needs no `country`.
 * @throws {@link DoorcodeError} `phone_invalid` or `country_not_allowed`
 */
export function allowTypedPhone(text: string, country: string | undefined, countries: AllowedCountries): PhoneNumber {
  // "any" is a text of three letters, and so no list of one.
  const only = countries.length === 1 ? countries[0] : undefined;
  return allowPhone(parsePhoneNumber(text, country ?? only), countries);
}

/**
 * Allows a number only from a listed country.
 *
 * @throws {@link DoorcodeError} `phone_invalid` or `country_not_allowed`
 */
export function allowPhone(number: PhoneNumber | undefined, countries: AllowedCountries): PhoneNumber {
  if (!number) throw new DoorcodeError("phone_invalid");
  const { country } = number;
  // A number without a country, such as +800 or the satellites of +881, is in no list and has no known price.
  const isAllowed = country !== undefined && (countries === "any" || countries.includes(country));
  if (!isAllowed) throw new DoorcodeError("country_not_allowed");
  return number;
}

/** The channels of a login, and the types of numbers that each of them takes. */
interface OfferedChannels {
  readonly codes: { readonly channels: readonly string[] };
  readonly numberTypes: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Returns the channels that take a number, in their order. The wanted one comes first; the others stay as fallbacks.
 *
 * @throws {@link DoorcodeError} `number_type_not_allowed` if no channel takes the number; `channel_not_allowed` for a
 * wanted channel that does not take it, or is not offered
 */
export function channelsFor(
  { codes, numberTypes }: OfferedChannels,
  number: PhoneNumber,
  wanted: string | undefined,
): readonly string[] {
  const channels = codes.channels.filter((channel) => takesNumber(numberTypes, channel, number));
  if (channels.length === 0) throw new DoorcodeError("number_type_not_allowed");
  if (wanted === undefined) return channels;
  if (!channels.includes(wanted)) throw new DoorcodeError("channel_not_allowed");
  return [wanted, ...channels.filter((channel) => channel !== wanted)];
}
