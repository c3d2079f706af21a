import { de, en } from "@doorcode/browser/element";
import { describe, expect, test } from "vitest";
import { pageStrings } from "../../src/server/page-strings.ts";
import { languages } from "../../src/strings/languages.ts";
import { mergeStrings } from "../../src/strings/merge-strings.ts";
import { plural } from "../../src/view/words.ts";

/** Lists the texts of an object by their paths. */
function textsOf(words: object, path = ""): [path: string, text: string][] {
  return Object.entries(words).flatMap(([name, value]) =>
    typeof value === "string" ? [[path + name, value] as [string, string]] : textsOf(value, `${path}${name}.`),
  );
}

const placeholdersOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

describe.each(Object.entries(languages))("the words in %s", (tag, words) => {
  const texts = new Map(textsOf(words));
  /** Plural forms differ by language: the others of a sentence stand for its form `other`. */
  const sentences = (words: object) => textsOf(words).filter(([path]) => !/\.(one|two|few|many)$/.test(path));
  const pathOf = (path: string) => path.replace(/\.other$/, "");

  test("T39: have the keys of the English ones, and the same placeholders in each", () => {
    const shapeOf = (words: object) =>
      sentences(words).map(([path, text]) => `${pathOf(path)}: ${placeholdersOf(text)}`);
    expect(shapeOf(words).sort()).toEqual(shapeOf(en).sort());
  });

  test("T39: have every plural form that a number of this language takes", () => {
    const plurals = new Intl.PluralRules(tag);
    const forms = new Set(Array.from({ length: 30 }, (_, count) => plurals.select(count)));
    for (const sentence of [words.attemptsLeft, words.codeHint]) {
      if (typeof sentence !== "string")
        expect(new Set([...Object.keys(sentence), "other"])).toEqual(new Set([...forms, "other"]));
    }
  });

  test("leave no text empty, and none in English", () => {
    expect([...texts].filter(([, text]) => text.trim() === "")).toEqual([]);
    const english = new Map(textsOf(en));
    const same = [...texts].filter(([path, text]) => / \w+ /.test(text) && english.get(path) === text);
    expect(tag === "en" ? [] : same).toEqual([]);
  });
});

describe("the words of a page", () => {
  test.each([
    ["de", "de"],
    ["de-AT", "de"],
    ["DE", "de"],
    ["en-GB", "en"],
    ["pt", "pt-BR"],
    ["pt-PT", "pt-BR"],
    ["fr-CA", "fr"],
    ["ja", "en"],
    ["", "en"],
  ])("for %s are those in %s", (language, tag) => {
    expect(pageStrings(language, undefined).strings).toEqual(languages[tag]);
  });

  test("are sent with the page unless its script has them: the English ones", () => {
    expect(pageStrings("en", { code: "PIN" }).sent).toEqual({ code: "PIN" });
    expect(pageStrings("fr", { code: "PIN" }).sent).toEqual({ ...languages.fr, code: "PIN" });
  });

  test("are replaced one by one, within a group too", () => {
    const words = mergeStrings(de, {
      code: "PIN",
      problems: { code_rejected: "Nein." },
      codeHint: "{count} Zeichen",
    });
    expect(words).toEqual({
      ...de,
      code: "PIN",
      codeHint: "{count} Zeichen",
      problems: { ...de.problems, code_rejected: "Nein." },
    });
  });

  test("have every plural form of their language", () => {
    const arabic = {
      zero: "لا محاولات",
      one: "محاولة",
      two: "محاولتان",
      few: "{count} محاولات",
      many: "{count} محاولة",
      other: "{count}",
    };
    expect([0, 1, 2, 3, 11, 100].map((count) => plural(arabic, count, "ar"))).toEqual([
      "لا محاولات",
      "محاولة",
      "محاولتان",
      "3 محاولات",
      "11 محاولة",
      "100",
    ]);
    expect([1, 2].map((count) => plural(de.attemptsLeft, count, "de"))).toEqual([
      "Du hast noch 1 Versuch.",
      "Du hast noch 2 Versuche.",
    ]);
  });
});
