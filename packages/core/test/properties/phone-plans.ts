import fc from "fast-check";
import { type CountryCode, parsePhoneNumberFromString } from "libphonenumber-js/max";
import metadata from "libphonenumber-js/metadata.max.json";

/** The types of numbers, in the order of the library's metadata. */
const types = "fixed line, mobile, toll-free, premium, personal, voicemail, UAN, pager, VoIP, shared cost".split(", ");

/** The numbering plan of a country, as far as spellings of its numbers need it. */
interface PhonePlan {
  readonly country: CountryCode;
  readonly callingCode: string;
  /** The digits before a number that is dialled inside the country; empty if there are none. */
  readonly trunkPrefix: string;
}

/** A number of a plan. */
export interface PlannedNumber extends PhonePlan {
  /** The number without a trunk prefix. */
  readonly national: string;
  readonly e164: string;
}

interface ReadPlan {
  readonly plan: PhonePlan;
  /** The digits before a number of another country. */
  readonly internationalPrefixes: fc.Arbitrary<string>;
  readonly nationals: readonly (fc.Arbitrary<string> | undefined)[];
}

const matching = (pattern: string) => fc.stringMatching(new RegExp(`^(?:${pattern})$`));

const plans: readonly ReadPlan[] = Object.entries(metadata.countries).map(([country, members]) => {
  // The places of the members are those of version 4 of the metadata.
  const [callingCode, internationalPrefix, , , , trunkPrefix, , , , , , patterns] = members;
  const nationals = types.map((_, index) => {
    const [pattern] = patterns?.[index] || [];
    return pattern ? matching(pattern) : undefined;
  });
  const plan = { country: country as CountryCode, callingCode, trunkPrefix: trunkPrefix || "" };
  return { plan, internationalPrefixes: matching(internationalPrefix), nationals };
});

/** All countries. */
export const countries: readonly CountryCode[] = plans.map(({ plan }) => plan.country);

/** The prefixes with which each country dials abroad. */
export const internationalPrefixes: ReadonlyMap<CountryCode, fc.Arbitrary<string>> = new Map(
  plans.map(({ plan, internationalPrefixes }) => [plan.country, internationalPrefixes]),
);

/** Numbers of all plans and types, valid or of a wrong length. */
export const plannedNumbers: fc.Arbitrary<PlannedNumber> = numbersOf(types.length);

/** Valid numbers of all plans and types. */
export const validNumbers: fc.Arbitrary<PlannedNumber> = plannedNumbers.filter(isValid);

/** Valid numbers of fixed lines and mobile phones. */
export const validLines: fc.Arbitrary<PlannedNumber> = numbersOf(2).filter(isValid);

function numbersOf(typeCount: number): fc.Arbitrary<PlannedNumber> {
  const ofPlans = plans.map(({ plan, nationals }) => {
    const ofTypes = nationals.slice(0, typeCount).flatMap((national) => national ?? []);
    const toNumber = (national: string) => ({ ...plan, national, e164: `+${plan.callingCode}${national}` });
    return ofTypes.length === 0 ? [] : [fc.oneof(...ofTypes).map(toNumber)];
  });
  return fc.oneof(...ofPlans.flat());
}

function isValid({ e164 }: PlannedNumber): boolean {
  const parsed = parsePhoneNumberFromString(e164);
  return parsed?.isValid() === true && parsed.number === e164;
}
