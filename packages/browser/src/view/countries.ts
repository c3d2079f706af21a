import type { OfferedCountry } from "../client/wire.ts";
import { asciiNumber } from "./typed-number.ts";
import type { LiveView, ShownProblem, View } from "./view.ts";

/** Returns the function that names countries in a language; their codes where the browser has no names. */
export function countryNames(language: string): (country: string) => string {
  const names = new Intl.DisplayNames(language, { type: "region" });
  return (country) => names.of(country) ?? country;
}

/** A longer list is sorted by name: in the order of an option, a country is hard to find. */
const maxUnsorted = 20;

/** Returns the countries in the order in which a person chooses. */
export function sortedCountries(countries: readonly OfferedCountry[], language: string): readonly OfferedCountry[] {
  if (countries.length <= maxUnsorted) return countries;
  const nameOf = countryNames(language);
  const { compare } = new Intl.Collator(language);
  const named = countries.map((offered) => [nameOf(offered.country), offered] as const);
  return named.sort(([left], [right]) => compare(left, right)).map(([, offered]) => offered);
}

/** Returns the country to begin with: that of the language if it is offered, else the first. */
export function firstCountry(countries: readonly OfferedCountry[], language: string): string | undefined {
  const { region } = new Intl.Locale(language).maximize();
  return (countries.find(({ country }) => country === region) ?? countries[0])?.country;
}

/** What decides which country is chosen. */
export type ChoosingView = Pick<View, "typed" | "offer" | "language"> & {
  readonly live: Pick<LiveView, "country"> | undefined;
};

/** Returns the country that is chosen. */
export function chosenCountry({
  live,
  typed,
  offer: { countries },
  language,
}: ChoosingView): OfferedCountry | undefined {
  const chosen = live?.country ?? typed?.country ?? firstCountry(countries, language);
  return countries.find(({ country }) => country === chosen);
}

/** Tells an ambiguous number from a wrong one: it begins with the country code, without a plus. Any other problem stays as it is. */
export function refineProblem<Problem extends Pick<ShownProblem, "code">>(
  problem: Problem,
  phone: string,
  view: ChoosingView,
): Problem | (Problem & { readonly code: "phone_ambiguous" }) {
  const { callingCode = "-" } = chosenCountry(view) ?? {};
  const isAmbiguous = problem.code === "phone_invalid" && asciiNumber(phone).startsWith(callingCode);
  return isAmbiguous ? { ...problem, code: "phone_ambiguous" } : problem;
}

/** The country of a typed number: one that is offered, `"refused"` for one that surely is not, `undefined` if nothing tells. */
export type NumbersCountry = OfferedCountry | "refused" | undefined;

/**
 * Finds the country of a number that was typed with its country code, after `+` or `00`. Several countries may share the
 * code: then the chosen one stays, else the first is taken.
 */
export function countryOf(
  text: string,
  countries: readonly OfferedCountry[],
  chosen: string | undefined,
): NumbersCountry {
  const [, prefix, digits = ""] = /^(\+|00)(\d+)$/.exec(asciiNumber(text)) ?? [];
  if (prefix === undefined || countries.length === 0) return undefined;
  const matching = countries.filter(({ callingCode }) => digits.startsWith(callingCode));
  const found = matching.find(({ country }) => country === chosen) ?? matching[0];
  // No calling code is longer than four digits. Where 00 is not the way abroad, it may begin a number of the country.
  return found ?? (prefix === "+" && digits.length >= 4 ? "refused" : undefined);
}
