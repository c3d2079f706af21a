import { knownLanguage } from "../strings/languages.ts";

/**
 * Chooses the language of a page, as its BCP 47 tag: the first one that the browser prefers and the package has, else English.
 *
 * @param acceptLanguage - the value of the header `Accept-Language`, such as `de-AT,de;q=0.9,en;q=0.8`.
 */
export function preferredLanguage(acceptLanguage: string | undefined): string {
  const preferred = (acceptLanguage ?? "").split(",").map((item) => {
    const [tag = "", ...parameters] = item.trim().split(";");
    const quality = parameters.map((parameter) => /^\s*q=([\d.]+)$/.exec(parameter)?.[1]).find(Boolean);
    return { tag, quality: Number(quality ?? 1) };
  });
  const sorted = preferred.toSorted((left, right) => right.quality - left.quality);
  const known = sorted.flatMap(({ tag, quality }) => (quality > 0 ? (knownLanguage(tag) ?? []) : []));
  return known[0] ?? "en";
}
