import { type CountryCode, getCountries, getCountryCallingCode, getExampleNumber } from "libphonenumber-js/max";
import examples from "libphonenumber-js/mobile/examples";

/** The ISO 3166 codes of all countries that have phone numbers. */
export const allCountries: readonly CountryCode[] = getCountries();

/** The numbers of a country, for the form in which a person types one. */
export interface NumberForm {
  /** The digits after the `+`, such as `49`. */
  readonly callingCode: string;
  /** The number of a mobile phone as it is dialled inside the country. It belongs to nobody. */
  readonly example: string;
}

/** Returns the form of a country's numbers. */
export function numberFormOf(country: CountryCode): NumberForm {
  const example = getExampleNumber(country, examples)?.formatNational() ?? "";
  return { callingCode: getCountryCallingCode(country), example };
}
