import type { WithHeaders } from "../util/headers.ts";

/** A name, and the text by which a `User-Agent` is recognized as it. */
type Mark = readonly [text: string, name: string];

/** A browser's `User-Agent` also has the texts of those after it. */
const browsers: readonly Mark[] = [
  ["Edg", "Edge"],
  ["OPR/", "Opera"],
  ["SamsungBrowser/", "Samsung Internet"],
  ["Firefox/", "Firefox"],
  ["FxiOS/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["CriOS/", "Chrome"],
  ["Safari/", "Safari"],
];

const systems: readonly Mark[] = [
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Android", "Android"],
  ["Windows", "Windows"],
  ["CrOS", "ChromeOS"],
  ["Macintosh", "macOS"],
  ["Linux", "Linux"],
];

/**
 * Says in words which browser a request came from, such as "Firefox on Windows"; `undefined` if nothing is recognized. It is what the client
 * says of itself, in words of the kit alone: apps put it into messages, and a stranger must not choose their text.
 */
export function summarizeClient({ headers }: WithHeaders): string | undefined {
  const userAgent = String(headers["user-agent"]);
  const known = [browsers, systems].map((marks) => marks.find(([text]) => userAgent.includes(text))?.[1]);
  return known.filter((name) => name !== undefined).join(" on ") || undefined;
}
