import { knownLanguage } from "../strings/languages.ts";
import { languageOf } from "../view/words.ts";

/**
 * Chooses the language of a page, as its BCP 47 tag: the first one that the browser prefers and the package has, else English.
 *
 * @param acceptLanguage - the value of the header `Accept-Language`, such as `de-AT,de;q=0.9,en;q=0.8`.
 * @param countries - the ISO 3166 codes of the countries that the login offers. If the browser's region is one of them, the tag has that
 * region, and `renderPhoneLogin` begins with that country: `de-AT` where Austria is offered, else `de`. Default: none.
 */
export function preferredLanguage(acceptLanguage: string | undefined, countries: readonly string[] = []): string {
  const preferred = (acceptLanguage ?? "").split(",").map((item) => {
    const [tag = "", ...parameters] = item.trim().split(";");
    const quality = parameters.map((parameter) => /^\s*q=([\d.]+)$/.exec(parameter)?.[1]).find(Boolean);
    return { tag, language: knownLanguage(tag), quality: Number(quality ?? 1) };
  });
  const sorted = preferred.filter(({ quality }) => quality > 0).toSorted((left, right) => right.quality - left.quality);
  const language = sorted.find((each) => each.language)?.language ?? "en";
  const regions = sorted.map((each) => (each.language === language ? regionOf(each.tag) : undefined));
  const region = regions.find((each) => each !== undefined && countries.includes(each));
  return region === undefined ? language : String(new Intl.Locale(language, { region }));
}

function regionOf(tag: string): string | undefined {
  return new Intl.Locale(languageOf(tag)).region;
}
