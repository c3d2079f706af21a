import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { lines } from "../attacks/lines.ts";
import { filesByLine } from "../attacks/titles.ts";
import { asvs } from "./asvs.ts";
import { nist } from "./nist.ts";
import type { ShownBy } from "./requirement.ts";
import { pathOf, requirementsDocument } from "./requirements-document.ts";

const root = resolve(import.meta.dirname, "../..");
const requirements = [...asvs, ...nist];

test("docs/security-requirements.md lists every requirement", async () => {
  await expect(requirementsDocument()).toMatchFileSnapshot(resolve(root, "docs/security-requirements.md"));
});

test("every test that is named exists, under this title", () => {
  const missing = requirements.flatMap(({ id, tests }) =>
    tests.filter((shownBy) => !exists(shownBy)).map(({ file, title }) => `${id}: ${file}: ${title}`),
  );
  expect(missing).toEqual([]);
});

function exists({ file, title }: ShownBy): boolean {
  const path = resolve(root, file);
  return existsSync(path) && titlesIn(path).has(title);
}

/** Returns the titles of a file's tests and of its groups, as they are written: of a table of tests, with its `%s`. */
function titlesIn(path: string): ReadonlySet<string> {
  const text = readFileSync(path, "utf8");
  const titles = text.matchAll(/(?:\btest|\bdescribe|\)|>)\(\s*(["'`])((?:(?!\1).)+)\1,/g);
  return new Set([...titles].map(([, , title = ""]) => title));
}

test("every place that is named exists", () => {
  const missing = requirements.flatMap(({ id, places }) =>
    places.filter((place) => !existsSync(resolve(root, pathOf(place)))).map((place) => `${id}: ${place}`),
  );
  expect(missing).toEqual([]);
});

test("what is met has a place and a test, and everything else a reason", () => {
  const isMet = (verdict: string) => verdict === "met" || verdict === "partly met";
  const unproven = requirements.filter(
    ({ verdict, places, tests }) => isMet(verdict) && (places.length === 0 || tests.length === 0),
  );
  const unexplained = requirements.filter(({ verdict, reason }) => verdict !== "met" && reason === undefined);
  expect([unproven, unexplained]).toEqual([[], []]);
});

test("each requirement is at most 25 words, and its text and reason are whole sentences", () => {
  const isSentence = (text = "Yes.") => /^[^|\n]+\.$/.test(text);
  const wrong = requirements.filter(
    ({ text, reason }) => text.split(" ").length > 25 || !isSentence(text) || !isSentence(reason),
  );
  expect(wrong).toEqual([]);
});

/** How many requirements each section of V6 and V7 has in ASVS 5.0.0. */
const counts = { "6.1": 3, "6.2": 12, "6.3": 8, "6.4": 6, "6.5": 8, "6.6": 4, "6.7": 2, "6.8": 4 };
const countsOfSessions = { "7.1": 3, "7.2": 4, "7.3": 2, "7.4": 5, "7.5": 3, "7.6": 2 };

test("every requirement of ASVS V6 and V7 is listed, in order and once", () => {
  const numbers = Object.entries({ ...counts, ...countsOfSessions }).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
  );
  const listed = asvs.filter(({ id }) => !id.startsWith("3.")).flatMap(({ id }) => numbersOf(id));
  expect(listed).toEqual(numbers);
});

/** Returns the numbers of a range such as "6.2.1 to 6.2.12". */
function numbersOf(id: string): string[] {
  const [first = "", last = first] = id.split(" to ");
  const section = first.slice(0, first.lastIndexOf("."));
  const [from = 0, to = 0] = [first, last].map((number) => Number(number.split(".").at(-1)));
  return Array.from({ length: to - from + 1 }, (_, index) => `${section}.${from + index}`);
}

test("no number of NIST occurs twice", () => {
  const numbers = nist.map(({ id }) => id);
  expect(numbers.filter((id, index) => numbers.indexOf(id) !== index)).toEqual([]);
});

test("every line of attacks that SECURITY.md names has a test, or is named as not built", () => {
  const text = readFileSync(resolve(root, "SECURITY.md"), "utf8");
  const [defended = "", notBuilt = ""] = text.split("## Not built yet");
  const linesIn = (part: string) => [...part.matchAll(/\b[LW]\d+\b/g)].map(([line]) => line);
  const tested = filesByLine();
  const unbuilt = lines.filter((line) => line.notBuilt !== undefined).map(({ id }) => id);

  expect(linesIn(defended).filter((line) => !tested.has(line))).toEqual([]);
  expect(linesIn(notBuilt.split("\n## ")[0] ?? "").toSorted()).toEqual(unbuilt.toSorted());
});
