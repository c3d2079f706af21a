import { parseE164 } from "@doorcode/core";
import { type Behaviour, behaviours } from "../state/application.ts";
import type { Channel, PlannedOutcome } from "../state/message.ts";

/** A range of ten numbers with one behaviour: a prefix and one more digit. */
export interface BehaviourRange {
  /** ISO 3166 code. */
  readonly country: string;
  /** E.164 without its last digit. */
  readonly prefix: string;
  readonly behaviour: Behaviour;
}

/**
 * Prefixes of numbers that regulators reserve for film and print, so that no real person's number misbehaves. The next
 * digit selects the behaviour, in the order of {@link behaviours} from 1. The last digit can be any.
 *
 * Great Britain and France also reserve mobile numbers (07700 900…, 06 39 98…), but the metadata for phone numbers calls
 * those invalid. It accepts these geographic numbers.
 */
const reservedPrefixes: readonly (readonly [country: string, prefix: string])[] = [
  // Bundesnetzagentur, Mitteilung 148/2021: 0171 39200 00 to 99.
  ["DE", "+4917139200"],
  // Ofcom, numbers for drama use, Leeds: 0113 496 0000 to 0999.
  ["GB", "+4411349600"],
  // Arcep, numbers for audiovisual works: 01 99 00 00 00 to 99 99.
  ["FR", "+331990000"],
  // ATIS-0300048: 555-0100 to 555-0199 of each area; this one is Wyoming.
  ["US", "+130755501"],
  // PTS, numbers for film and books: 070-174 06 05 to 99.
  ["SE", "+467017406"],
];

/** The fixed ranges of misbehaving numbers: six for each country, of ten numbers each. */
export const behaviourRanges: readonly BehaviourRange[] = reservedPrefixes.flatMap(([country, prefix]) =>
  behaviours.map((behaviour, index) => ({ country, prefix: `${prefix}${index + 1}`, behaviour })),
);

const behaviourByPrefix: ReadonlyMap<string, Behaviour> = new Map(
  behaviourRanges.map(({ prefix, behaviour }) => [prefix, behaviour]),
);

/**
 * Returns the misbehaviour of a number; undefined when it behaves.
 *
 * The narrowest rule wins: first the application's rule for the number, then the fixed ranges, then the application's
 * rule for the country. So a number of a fixed range keeps its behaviour while its whole country has another.
 *
 * @param to - E.164.
 * @param own - the application's rules, by E.164 number or ISO 3166 country.
 */
export function behaviourOf(to: string, own: Readonly<Record<string, Behaviour>>): Behaviour | undefined {
  return own[to] ?? behaviourByPrefix.get(to.slice(0, -1)) ?? behaviourOfCountry(to, own);
}

/** Returns the outcome of a message on a channel. Without a misbehaviour it is delivered. */
export function plannedOutcomeOf(behaviour: Behaviour | undefined, channel: Channel): PlannedOutcome {
  if (behaviour === "never_delivered") return { status: undefined, slow: false };
  const fails = (behaviour === "sms_fails" && channel === "SMS") || (behaviour === "only_voice" && channel !== "VOICE");
  return { status: fails ? "FAILED" : "DELIVERED", slow: behaviour === "slow" };
}

function behaviourOfCountry(to: string, own: Readonly<Record<string, Behaviour>>): Behaviour | undefined {
  // Parsing the number is the expensive part. Most applications have no rule for a country.
  if (Object.keys(own).every((key) => key.startsWith("+"))) return undefined;
  const country = parseE164(to)?.country;
  return country === undefined ? undefined : own[country];
}
