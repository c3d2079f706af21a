import { z } from "zod";
import { DoorcodeError } from "../util/errors.ts";
import { type CountryTable, forCountry, namedCountries } from "./by-country.ts";
import { type PhoneNumber, parsePhoneNumber } from "./phone-number.ts";

/** The ISO 3166 codes of the countries whose numbers may log in, or `"any"` for all of them. */
export type AllowedCountries = readonly string[] | "any";

/** Parses a typed number of any country; `undefined` for anything else. If one country is listed, its national spelling needs no `country`. */
export function parseTypedPhone(
  text: string,
  country: string | undefined,
  countries: AllowedCountries,
): PhoneNumber | undefined {
  const only = countries !== "any" && countries.length === 1 ? countries[0] : undefined;
  return parsePhoneNumber(text, country ?? only);
}

/** Allows a number of a listed country only. @throws {@link DoorcodeError} `phone_invalid` or `country_not_allowed` */
export function allowPhone(number: PhoneNumber | undefined, countries: AllowedCountries): PhoneNumber {
  if (!number) throw new DoorcodeError("phone_invalid");
  const { country } = number;
  // A number without a country, such as +800 or the satellites of +881, is in no list and has no known price.
  const isAllowed = country !== undefined && (countries === "any" || countries.includes(country));
  if (!isAllowed) throw new DoorcodeError("country_not_allowed");
  return number;
}

/** Refuses a table with a country whose numbers cannot log in. @throws TypeError naming option, country and fix */
export function requireOffered(
  place: string,
  tables: Readonly<Record<string, CountryTable<unknown> | undefined>>,
  countries: AllowedCountries,
): void {
  for (const [option, table] of Object.entries(tables)) {
    const foreign =
      table && namedCountries(table).find((country) => countries !== "any" && !countries.includes(country));
    if (foreign === undefined) continue;
    throw new TypeError(
      `${place}: ${option}.${foreign}: login.countries does not have it: add it there, or leave it out here.`,
    );
  }
}

/** The channels of the service, as they are written on the wire. */
type ServiceChannel = "SMS" | "WHATSAPP" | "VIBER" | "TELEGRAM" | "VOICE";

/** A channel of the service, or the name of any other one: an editor offers the service's, and takes every text. */
export type Channel = ServiceChannel | (string & Record<never, never>);

/**
 * The types of phone numbers that a channel may take. Every other type is refused always: premium, shared-cost, pager, voicemail, personal
 * and UAN numbers cost more than ordinary ones, or reach no person.
 */
export type NumberType = "MOBILE" | "FIXED_LINE" | "VOIP" | "TOLL_FREE";

/** The types of numbers that each channel takes: `{ SMS: ["MOBILE"], VOICE: ["MOBILE", "FIXED_LINE"] }`. */
export type NumberTypesByChannel = Readonly<
  Record<string, readonly NumberType[]> & Partial<Record<ServiceChannel, readonly NumberType[]>>
>;

/** The shape of the option `numberTypes`. @internal */
export const numberTypesShape: z.ZodType<NumberTypesByChannel> = z.record(
  z.string(),
  z
    .array(
      z.enum(
        ["MOBILE", "FIXED_LINE", "VOIP", "TOLL_FREE"],
        'expected "MOBILE", "FIXED_LINE", "VOIP" or "TOLL_FREE"; no channel takes other types',
      ),
      'expected a list such as ["MOBILE", "FIXED_LINE"]',
    )
    .min(1, "expected at least one type; to offer the channel no more, leave it out of channels"),
  'expected types by channel, such as { SMS: ["MOBILE"], VOICE: ["MOBILE", "FIXED_LINE"] }',
);

/** The channels of a login. */
export interface OfferedChannels {
  /** The channels by country, in their order. */
  readonly byCountry: CountryTable<readonly string[]>;
  /** The types of numbers that each channel takes, as libphonenumber names them. */
  readonly types: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A text reaches mobile phones only; one to a landline is wasted, or fraud. A call reaches landlines too. */
const defaultTypes: NumberTypesByChannel = { VOICE: ["MOBILE", "FIXED_LINE"] };
const otherDefaultTypes: readonly NumberType[] = ["MOBILE"];

/** Decides which types each channel takes: the chosen or default ones. @throws TypeError for a channel not offered */
export function offeredChannels(
  byCountry: CountryTable<readonly string[]>,
  chosen: NumberTypesByChannel,
): OfferedChannels {
  const channels = [...new Set(Object.values(byCountry).flat())];
  const unknown = Object.keys(chosen).find((channel) => !channels.includes(channel));
  if (unknown !== undefined) {
    throw new TypeError(
      `createDoorcode: login.numberTypes.${unknown}: login.codes does not offer this channel; its channels are ` +
        `${channels.join(", ")}.`,
    );
  }
  const typesOf = (channel: string): ReadonlySet<string> => {
    const types = chosen[channel] ?? defaultTypes[channel] ?? otherDefaultTypes;
    // Some plans, such as that of the USA, do not tell mobile phones from landlines.
    const isEither = types.includes("MOBILE") || types.includes("FIXED_LINE");
    return new Set<string>(isEither ? [...types, "FIXED_LINE_OR_MOBILE"] : types);
  };
  return {
    byCountry,
    types: new Map(channels.map((channel) => [channel, typesOf(channel)])),
  };
}

/** Returns the channels that take a number, in their order. */
export function channelsOf(offered: OfferedChannels, { country, type = "", e164 }: PhoneNumber): readonly string[] {
  const takesNumber = (channel: string) =>
    offered.types.get(channel)?.has(type) === true && !(channel === "VOICE" && voicemailBoxes.test(e164));
  return forCountry(offered.byCountry, country).filter(takesNumber);
}

/**
 * Returns the channels that take a number, in their order. The wanted one comes first, or is refused; the others stay as fallbacks.
 *
 * @throws {@link DoorcodeError} `number_type_not_allowed` if no channel takes the number; `channel_not_allowed` for a wanted channel that
 * does not take it, or is not offered
 */
export function channelsFor(
  offered: OfferedChannels,
  number: PhoneNumber,
  wanted: string | undefined,
): readonly string[] {
  const channels = channelsOf(offered, number);
  if (channels.length === 0) throw new DoorcodeError("number_type_not_allowed");
  if (wanted === undefined) return channels;
  if (!channels.includes(wanted)) throw new DoorcodeError("channel_not_allowed");
  return [wanted, ...channels.filter((channel) => channel !== wanted)];
}

/**
 * The voice-mail boxes of Austrian mobile numbers, which libphonenumber takes for mobile phones: the digits of the box
 * stand between the prefix of the network and the number. 664 77 begins boxes only; after another prefix, a box has at
 * least seven more digits than those. A call to one would leave the code with anybody who can listen to it.
 *
 * @see https://de.wikipedia.org/wiki/Mailbox-Durchwahl
 */
const voicemailBoxes = /^\+43(?:66477|(?:68077|67622|65011|66033)\d{7})/;
