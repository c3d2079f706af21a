import { de, en } from "@doorcode/browser/element";
import { describe, expect, test } from "vitest";
import { chooseStrings } from "../../src/strings/choose-strings.ts";
import { plural } from "../../src/view/words.ts";

/** Lists the texts of an object by their paths. */
function textsOf(words: object, path = ""): [path: string, text: string][] {
  return Object.entries(words).flatMap(([name, value]) =>
    typeof value === "string" ? [[path + name, value] as [string, string]] : textsOf(value, `${path}${name}.`),
  );
}

const placeholdersOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

describe("German and English", () => {
  const english = textsOf(en);
  const german = new Map(textsOf(de));

  test("T39: have the same keys, and the same placeholders in each", () => {
    expect([...german.keys()].sort()).toEqual(english.map(([path]) => path).sort());
    const different = english.filter(
      ([path, text]) => `${placeholdersOf(text)}` !== `${placeholdersOf(german.get(path) ?? "")}`,
    );
    expect(different).toEqual([]);
  });

  test("leave no text empty", () => {
    expect([...english, ...german].filter(([, text]) => text.trim() === "")).toEqual([]);
  });
});

describe("the words of a page", () => {
  test.each([
    ["de", de],
    ["de-AT", de],
    ["DE", de],
    ["en-GB", en],
    ["fr", en],
    ["", en],
  ])("for %s", (language, expected) => {
    expect(chooseStrings(language)).toEqual(expected);
  });

  test("are replaced one by one, within a group too", () => {
    const words = chooseStrings("de", {
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
