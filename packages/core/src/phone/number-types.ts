import { z } from "zod";
import type { PhoneNumber } from "./phone-number.ts";

/** The channels of the service, as they are written on the wire. */
type ServiceChannel = "SMS" | "WHATSAPP" | "VIBER" | "TELEGRAM" | "VOICE";

/** A channel of the service, or the name of any other one: an editor offers the service's, and takes every text. */
export type Channel = ServiceChannel | (string & Record<never, never>);

/**
 * The types of phone numbers that a channel may take. Every other type is refused always: premium, shared-cost, pager,
 * voicemail, personal and UAN numbers cost more than ordinary ones, or reach no person.
 */
export type NumberType = "MOBILE" | "FIXED_LINE" | "VOIP" | "TOLL_FREE";

/** The types of numbers that each channel takes: `{ SMS: ["MOBILE"], VOICE: ["MOBILE", "FIXED_LINE"] }`. */
export type NumberTypesByChannel = Readonly<
  Record<string, readonly NumberType[]> & Partial<Record<ServiceChannel, readonly NumberType[]>>
>;

const example = '{ SMS: ["MOBILE"], VOICE: ["MOBILE", "FIXED_LINE"] }';

/**
 * The shape of the option `numberTypes`.
 *
 * @internal
 */
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
  `expected types by channel, such as ${example}`,
);

/** A text reaches mobile phones only; one to a landline is wasted, or fraud. A call reaches landlines too. */
const defaultTypes: NumberTypesByChannel = { VOICE: ["MOBILE", "FIXED_LINE"] };
const otherDefaultTypes: readonly NumberType[] = ["MOBILE"];

/**
 * The voice-mail boxes of Austrian mobile numbers, which libphonenumber takes for mobile phones: the digits of the box stand between the
 * prefix of the network and the number. 664 77 begins boxes only; after another prefix, a box has at least seven more digits than those.
 *
 * @see https://de.wikipedia.org/wiki/Mailbox-Durchwahl
 */
const voicemailBoxes = /^\+43(?:66477|(?:68077|67622|65011|66033)\d{7})/;

/** Tells whether a channel takes a number. A call to a voice-mail box would leave the code with whoever can listen to it. */
export function takesNumber(
  numberTypes: ReadonlyMap<string, ReadonlySet<string>>,
  channel: string,
  { type, e164 }: PhoneNumber,
): boolean {
  const takesType = type !== undefined && numberTypes.get(channel)?.has(type) === true;
  return takesType && !(channel === "VOICE" && voicemailBoxes.test(e164));
}

/**
 * Returns the types that each offered channel takes, as libphonenumber names them.
 *
 * @param chosen - the option, which replaces the defaults of the channels that it names.
 * @throws TypeError for a channel that is not offered
 */
export function numberTypesOf(
  channels: readonly string[],
  chosen: NumberTypesByChannel,
): ReadonlyMap<string, ReadonlySet<string>> {
  const unknown = Object.keys(chosen).find((channel) => !channels.includes(channel));
  if (unknown !== undefined) {
    throw new TypeError(
      `createDoorcode: login.numberTypes.${unknown}: login.codes does not offer this channel; its channels are ` +
        `${channels.join(", ")}.`,
    );
  }
  return new Map(
    channels.map((channel) => [channel, withUntold(chosen[channel] ?? defaultTypes[channel] ?? otherDefaultTypes)]),
  );
}

/** Adds the type of plans that do not tell mobile phones from landlines, such as that of the USA. */
function withUntold(types: readonly NumberType[]): ReadonlySet<string> {
  const mayBeTaken = types.includes("MOBILE") || types.includes("FIXED_LINE");
  return new Set<string>(mayBeTaken ? [...types, "FIXED_LINE_OR_MOBILE"] : types);
}
