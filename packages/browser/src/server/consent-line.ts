import { hash } from "node:crypto";
import { languages } from "../strings/languages.ts";
import type { Strings, StringsOverride } from "../strings/strings.ts";
import type { ConsentLine } from "../view/view.ts";
import { pageStrings } from "./page-strings.ts";

/** The line of consent below the number. Its wording is `consent` of the strings. */
export interface ConsentOptions {
  /** The path or the https address of your terms, which the line links. */
  readonly terms?: string;
  /** The path or the https address of your privacy policy, which the line links. */
  readonly privacy?: string;
  /** The ISO 3166 codes of the countries whose people see the line. Default: `["US", "CA"]`. */
  readonly countries?: readonly string[];
}

/**
 * Describes the line of consent of a page; `undefined` for none.
 *
 * @param offered - the ISO 3166 codes of the countries that the login offers.
 */
export function consentLine(
  options: ConsentOptions | false,
  strings: Strings,
  offered: readonly string[],
): ConsentLine | undefined {
  if (options === false) return undefined;
  const { terms, privacy, countries = ["US", "CA"] } = options;
  if (!countries.some((country) => offered.includes(country))) return undefined;
  return { version: versionOf(wordingOf(options, strings)), countries, terms, privacy };
}

/** Returns every wording of the line by its version: that of `lang`, or of each language that the package has. */
export function consentWordings(
  options: ConsentOptions | false,
  lang: string | undefined,
  override: StringsOverride | undefined,
): ReadonlyMap<string, string> {
  if (options === false) return new Map();
  const tags = lang === undefined ? Object.keys(languages) : [lang];
  const wordings = tags.map((tag) => wordingOf(options, pageStrings(tag, override).strings));
  return new Map(wordings.map((wording) => [versionOf(wording), wording]));
}

/** Refuses an address that is neither a path of this site nor an https one. @throws TypeError naming it and the fix */
export function checkConsent(place: string, options: ConsentOptions | false): void {
  if (options === false) return;
  for (const name of ["terms", "privacy"] as const) {
    const address = options[name];
    if (address === undefined || /^\/(?![/\\])/.test(address) || /^https:\/\//i.test(address)) continue;
    throw new TypeError(`${place}: consent.${name}: expected a path such as "/${name}", or an https address.`);
  }
}

function wordingOf({ terms, privacy }: ConsentOptions, strings: Strings): string {
  const links = [terms && `${strings.terms}: ${terms}`, privacy && `${strings.privacy}: ${privacy}`];
  return [strings.consent, ...links.filter(Boolean)].join(" ");
}

/** The same wording has the same version in every process and release. */
function versionOf(wording: string): string {
  return hash("sha256", wording).slice(0, 16);
}
