import { allCountries, isCountry, numberFormOf } from "../phone/phone-number.ts";
import type { LoginDeps } from "./login-deps.ts";

/** A country whose numbers may log in. */
export interface OfferedCountry {
  /** Its ISO 3166 code. */
  readonly country: string;
  /** Its calling code, without the `+`. Several countries may have the same. */
  readonly callingCode: string;
  /** A mobile number as it is dialled inside the country, to show beside the field for the number. */
  readonly example: string;
}

/** A login as far as every page may know it, before anybody types a number. */
export interface LoginOffer {
  /** In the order of `login.countries`. */
  readonly countries: readonly OfferedCountry[];
  /** The channels, in the order in which they are tried. */
  readonly channels: readonly string[];
  /**
   * The number of digits of a code; `null` if it is not always the same. Some logins have longer codes: their state
   * tells.
   */
  readonly codeLength: number | null;
}

/** Describes a login for its pages. */
export function createOffer({ countries, codes }: Pick<LoginDeps, "countries" | "codes">): LoginOffer {
  const { min, max } = codes.digits;
  const offered = countries === "any" ? allCountries : countries.filter(isCountry);
  return {
    countries: offered.map((country) => ({ country, ...numberFormOf(country) })),
    channels: codes.channels,
    codeLength: min === max ? max : null,
  };
}
