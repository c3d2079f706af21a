import { readFileSync } from "node:fs";

/**
 * Reads the style sheet of a page, in the order of the cascade: the rules that all pages have, those of this page, and those for narrow
 * windows.
 *
 * @param own - the style sheet of this page alone.
 */
export function readStyle(own: URL): string {
  // Style sheets are not compiled. They are read from the sources, which the package contains as well.
  const shared = (name: string) => new URL(`../../src/page-parts/${name}`, import.meta.url);
  return [shared("page.css"), own, shared("narrow.css")].map((url) => readFileSync(url, "utf8")).join("\n");
}
