import { parsePhoneNumber } from "@doorcode/core";
import type { Channel, Fate } from "../state/message.ts";

/** How a number can misbehave. */
export const behaviours = [
  "sms_fails",
  "never_delivered",
  "only_voice",
  "slow",
  "duplicate_events",
  "reordered_events",
] as const;

/**
 * How a number misbehaves: `sms_fails`: SMS ends `FAILED`; `never_delivered`: stays `SENT`; `only_voice`: all but a call
 * end `FAILED`; `slow`: the outcome comes only after the fallback time-out; `duplicate_events`: each event is sent twice;
 * `reordered_events`: `SENT` arrives after the outcome.
 */
export type Behaviour = (typeof behaviours)[number];

/** Numbers that misbehave in one way: the prefix and one digit more, any. */
export interface BehaviourRange {
  /** ISO 3166 code. */
  readonly country: string;
  /** E.164 without its last digit. */
  readonly prefix: string;
  readonly behaviour: Behaviour;
}

/**
 * Beginnings of numbers that each regulator keeps for film and print, so that no real person ever misbehaves here. One
 * digit more chooses the behaviour, in the order of {@link behaviours} from 1; the last is any.
 *
 * Great Britain and France keep mobile numbers too (07700 900…, 06 39 98…), but those are not valid by the metadata that
 * recipients are parsed with; the geographic ones are.
 */
const reserved: readonly (readonly [country: string, beginning: string])[] = [
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

/** The fixed ranges of numbers that misbehave, country by country: six each, ten numbers wide. */
export const behaviourRanges: readonly BehaviourRange[] = reserved.flatMap(([country, beginning]) =>
  behaviours.map((behaviour, index) => ({ country, prefix: `${beginning}${index + 1}`, behaviour })),
);

const behaviourByPrefix: ReadonlyMap<string, Behaviour> = new Map(
  behaviourRanges.map(({ prefix, behaviour }) => [prefix, behaviour]),
);

/**
 * Tells how a number misbehaves, if it does.
 *
 * The narrower rule wins: the application's word on the number, then the fixed ranges, then the application's word on
 * the country. So a fixed range keeps its promise, also while a whole country fails.
 *
 * @param to - E.164.
 * @param own - the application's: by E.164 number or ISO 3166 country.
 */
export function behaviourOf(to: string, own: Readonly<Record<string, Behaviour>>): Behaviour | undefined {
  return own[to] ?? behaviourByPrefix.get(to.slice(0, -1)) ?? behaviourOfCountry(to, own);
}

/** Tells what becomes of a message on a channel; without a behaviour it is delivered. */
export function fateOf(behaviour: Behaviour | undefined, channel: Channel): Fate {
  if (behaviour === "never_delivered") return { outcome: undefined, slow: false };
  const fails = (behaviour === "sms_fails" && channel === "SMS") || (behaviour === "only_voice" && channel !== "VOICE");
  return { outcome: fails ? "FAILED" : "DELIVERED", slow: behaviour === "slow" };
}

function behaviourOfCountry(to: string, own: Readonly<Record<string, Behaviour>>): Behaviour | undefined {
  // Parsing is what costs here, and few applications name a country.
  if (Object.keys(own).every((key) => key.startsWith("+"))) return undefined;
  const country = parsePhoneNumber(to)?.country;
  return country === undefined ? undefined : own[country];
}
