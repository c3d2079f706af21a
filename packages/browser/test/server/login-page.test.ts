import { loginPage, preferredLanguage } from "@doorcode/browser/server";
import { describe, expect, test } from "vitest";

/** Renders the page of a login for these countries, and returns its country and its languages. */
function shownFor(acceptLanguage: string | undefined, countries: readonly string[], lang?: string) {
  const offered = countries.map((country) => ({ country, callingCode: "1", example: "0" }));
  const html = loginPage(lang === undefined ? {} : { lang }).render({
    state: { status: "none", version: "0" },
    offer: { countries: offered, codeLength: 6 },
    purpose: "login",
    basePath: "/login",
    query: {},
    acceptLanguage,
  });
  return {
    country: /<option value="(\w\w)"[^>]* selected/.exec(html)?.[1],
    page: /<html lang="([^"]+)"/.exec(html)?.[1],
    element: /<phone-login[^>]* lang="([^"]+)"/.exec(html)?.[1],
  };
}

describe("the country that a page begins with", () => {
  test.each([
    ["de-AT,de;q=0.9,en;q=0.8", ["DE", "AT"], "AT"],
    ["en-GB,en;q=0.9", ["US", "GB"], "GB"],
    // The browser names its region second.
    ["de,de-CH;q=0.9", ["DE", "CH"], "CH"],
    ["de-CH,de-AT;q=0.9,de;q=0.8", ["DE", "AT"], "AT"],
    ["pt-PT,pt;q=0.9", ["BR", "PT"], "PT"],
  ])("is that of the browser's region, for %s of %j", (acceptLanguage, countries, country) => {
    expect(shownFor(acceptLanguage, countries).country).toBe(country);
  });

  test.each([
    ["de-AT,de;q=0.9", ["FR", "DE"], "DE"],
    ["de-AT,de;q=0.9", ["FR", "IT"], "FR"],
    ["fr-FR,de-AT;q=0", ["AT", "FR"], "FR"],
    // The page is in German, so the region of the English is none of its language.
    ["de,en-GB;q=0.9", ["GB", "DE"], "DE"],
    ["de_AT,de", ["AT", "DE"], "DE"],
    [undefined, ["AT", "US"], "US"],
  ])("is that of the language, or the first, for %s of %j", (acceptLanguage, countries, country) => {
    expect(shownFor(acceptLanguage, countries).country).toBe(country);
  });

  test("is that of the app's language, whatever the browser's is", () => {
    expect(shownFor("de-AT", ["AT", "DE"], "de")).toMatchObject({ country: "DE", element: "de" });
  });

  test("has no part in the language of the page's words", () => {
    expect(shownFor("de-AT", ["DE", "AT"])).toEqual({ country: "AT", page: "de", element: "de-AT" });
  });
});

test("the preferred language has no more of the browser's tag than an offered region", () => {
  expect(preferredLanguage("de-AT")).toBe("de");
  expect(preferredLanguage("de-Latn-AT-u-nu-arab", ["AT"])).toBe("de-AT");
});

describe("the page around the element", () => {
  const hostile = `"><script>alert(1)</script>`;
  const render = (options: Parameters<typeof loginPage>[0], basePath = "/login") =>
    loginPage(options).render({
      state: { status: "none", version: "0" },
      offer: { countries: [], codeLength: 6 },
      purpose: "login",
      basePath,
      query: {},
      acceptLanguage: undefined,
    });

  test.each([
    ["the title", { title: hostile }, "/login"],
    ["the style sheet of the app", { stylesheet: `/${hostile}` }, "/login"],
    ["the language", { lang: hostile }, "/login"],
    ["the path of the mount", {}, `/${hostile}`],
  ])("has %s as text alone", (_what, options, basePath) => {
    expect(render(options, basePath)).not.toContain("<script>");
  });

  test.each(["//evil.example/terms", "/\\evil.example/terms", "http://evil.example", "terms"])(
    "is refused with the link %s of its consent",
    (terms) => {
      expect(() => loginPage({ consent: { terms } })).toThrow("loginPage: consent.terms: expected a path");
    },
  );
});

test("a language that the browser refuses is not chosen", () => {
  expect([preferredLanguage("xx,de;q=0"), preferredLanguage("xx,de;q=0.001")]).toEqual(["en", "de"]);
});
