import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { appCodes, createDoorcode } from "@doorcode/core";
import fc from "fast-check";
import { SegmentedMessage } from "sms-segments-calculator";
import { describe, expect, test } from "vitest";
import { languages } from "../../packages/browser/src/strings/languages.ts";
import { type CodeTexts, createCodeTexts } from "../../packages/core/src/codes/code-texts.ts";
import { defaultTexts } from "../../packages/core/src/codes/default-texts.ts";
import { readOriginBound } from "../../packages/sandbox/src/service/origin-bound.ts";
import { encodingOf } from "../../packages/sandbox/src/service/segments.ts";

const purposes = ["login", "link", "step_up"] as const;

/** What must hold for each text, by the phone of the sandbox and by a calculator of others. */
function expectReadable(text: string, host: string, code: string): void {
  expect(readOriginBound(text)).toEqual({ bound: { host, code }, problem: undefined });
  // How Chromium finds the line.
  expect(text.match(/(?:^|\s)@([a-zA-Z0-9.-]+) #([^#\s]+)/)?.slice(1)).toEqual([host, code]);
  expect(text.split(code)).toHaveLength(3);
  expect(text).toMatch(new RegExp(`(^| )${code}\\.( |\\n)`));
  expect([encodingOf(text), new SegmentedMessage(text).encodingName]).toEqual(["GSM-7", "GSM-7"]);
  expect(new SegmentedMessage(text).segmentsCount).toBe(1);
}

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/);
const hosts = fc.oneof(
  fc.constantFrom("localhost", "xn--mnchen-3ya.example"),
  fc.array(label, { minLength: 2, maxLength: 7 }).map((labels) => labels.join(".")),
);
/** Those that leave room for the longest text of the kit. */
const shortHosts = hosts.filter((host) => host.length <= 59);
const codes = fc.stringMatching(/^\d{6,10}$/);
const words = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.constantFrom("Your", "code", "is", "für", "€", "[Example]", "Ω", "24/7", "@example.com", "#1"),
  },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 8 }) },
);
/** Texts as an app may write them: most are right, and some have every mistake there is. */
const templates = fc
  .tuple(
    fc.array(words, { maxLength: 12 }),
    fc.oneof({ weight: 8, arbitrary: fc.constant("{code}.") }, { weight: 1, arbitrary: words }),
    fc.array(words, { maxLength: 12 }),
  )
  .map(([before, code, after]) => [...before, code, ...after].join(" "));

describe("L12: a text with a code", () => {
  test("of the kit is read by browsers and is one SMS, in every language, for every purpose, code and host", () => {
    const languages = fc.constantFrom(...Object.keys(defaultTexts), undefined, "pt-BR", "de-CH", "xx");
    fc.assert(
      fc.property(shortHosts, languages, fc.constantFrom(...purposes), codes, (host, language, purpose, code) => {
        expectReadable(createCodeTexts(defaultTexts, host)(code, { language, purpose }), host, code);
      }),
      { numRuns: 200 },
    );
  });

  test("that is refused at start names the document of the rules", () => {
    const refused = () => createCodeTexts({ en: "Your code" }, "app.example.com");
    const published = "https://github.com/doorcode/doorcode/blob/main/packages/core/docs/codes.md#texts";
    expect(refused).toThrow(new RegExp(`See ${published}$`));
    const document = readFileSync(resolve(import.meta.dirname, "../../packages/core/docs/codes.md"), "utf8");
    expect(document).toContain("\n## Texts\n");
  });

  test("of the app is refused at start, or read by browsers and one SMS, whatever the app has written", () => {
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(hosts, templates, codes, (host, en, code) => {
        let word: ReturnType<typeof createCodeTexts>;
        try {
          word = createCodeTexts({ en }, host);
        } catch (error) {
          refused++;
          expect(error).toBeInstanceOf(TypeError);
          expect(String(error)).toMatch(/^TypeError: appCodes: text\.en\.login: expected .*\. See https:/s);
          return;
        }
        accepted++;
        // A code that the words happen to hold as well would be found more often.
        fc.pre(!en.includes(code) && !host.includes(code));
        expectReadable(word(code, { language: "en", purpose: "login" }), host, code);
      }),
      { numRuns: 500 },
    );
    expect(Math.min(accepted, refused)).toBeGreaterThan(25);
  });

  test("fits to the character: 140 with the longest code, and not one more", () => {
    const host = "login.example.com";
    const rest = "\n\n@ #".length + host.length + 10;
    const ofLength = (length: number) => `${"a".repeat(length - " 0123456789.".length)} {code}.`;
    const text = createCodeTexts({ en: ofLength(140 - rest) }, host)("0123456789", {
      language: "en",
      purpose: "login",
    });
    expect([...text]).toHaveLength(140);
    // GSM-7 has no single place for the sign of the euro.
    expect(() => createCodeTexts({ en: ofLength(140 - rest).replace("a", "€") }, host)).toThrow(/shorten it by 1\./);
    expect(() => createCodeTexts({ en: ofLength(141 - rest) }, host)).toThrow(
      /text\.en\.login: .*at most 140 .*login\.example\.com.*10 digits.*shorten it by 1\. See/,
    );
  });
});

describe("the language of a text", () => {
  const texts: CodeTexts = {
    fr: "FR {code}.",
    pt: "PT {code}.",
    "pt-br": "BR {code}.",
    "zh-Hant": "ZH {code}.",
    en: { login: "IN {code}.", step_up: "UP {code}." },
  };
  const word = createCodeTexts(texts, "localhost");
  const wordsFor = (language: string | undefined, purpose: (typeof purposes)[number] = "login") =>
    word("123456", { language, purpose }).slice(0, 2);

  test.each([
    ["pt-BR", "BR"],
    ["pt-PT", "PT"],
    ["pt", "PT"],
    ["zh-Hant-TW", "ZH"],
    ["en-u-ca-buddhist", "IN"],
    ["en-x-private", "IN"],
    ["zh-Hans", "FR"],
    ["de", "FR"],
    [undefined, "FR"],
  ])("%s is answered in %s", (language, expected) => {
    expect(wordsFor(language)).toBe(expected);
  });

  test("a purpose without a text of its own has that of a login", () => {
    expect(purposes.map((purpose) => wordsFor("en", purpose))).toEqual(["IN", "IN", "UP"]);
  });

  test("the kit has texts in the languages of its page for every purpose, and English for everybody else", () => {
    const shipped = createCodeTexts(defaultTexts, "localhost");
    const tags = Object.keys(languages);
    const all = tags.flatMap((language) => purposes.map((purpose) => shipped("123456", { language, purpose })));
    expect(new Set(all).size).toBe(tags.length * purposes.length);
    expect(shipped("123456", { language: "ja", purpose: "link" })).toBe(all[1]);
  });
});

describe("L27: appCodes rejects wrong texts and wrong combinations at start, and names the option and the fix", () => {
  const send = () => undefined;
  const text = { en: "Your code is {code}." };
  const create = (options: object, origins?: readonly string[]) => () =>
    createDoorcode({
      ...(origins && { origins }),
      service: { baseUrl: "https://service.example", apiKey: "key_123" },
      session: { password: "p".repeat(32) },
      login: { countries: ["DE"], codes: appCodes(options as never), onLogin: () => "user_1" },
    });

  test.each<[RegExp, object]>([
    [/appCodes: send: leave out sender/, { sender: "Example", send }],
    [/appCodes: template: leave it out/, { sender: "Example", template: "login" }],
    [/appCodes: text: add the sender.*or send/, { text }],
    [/appCodes: host: add the sender.*or send/, { host: "app.example.com" }],
    [/appCodes: channels: .*SMS only/, { sender: "Example", channels: ["WHATSAPP"] }],
    [/appCodes: text\.en\.login: expected a text/, { send, text: { en: { link: text.en } } }],
    [/text\.en_US: expected a language tag such as en or pt-BR/, { send, text: { en_US: text.en } }],
    [/text\.en\.login: expected \{code\} where/, { send, text: { en: "Your code." } }],
    [/text\.en\.login: expected \{code\} only once/, { send, text: { en: "{code} is {code}." } }],
    [/text\.en\.login: .*adds the last line.* by itself/, { send, text: { en: "@x #1 {code}." } }],
    [/text\.en\.login: expected no placeholder but/, { send, text: { en: "{app}: {code}." } }],
    [/text\.en\.login: .*full stop after it/, { send, text: { en: "Your code is {code}" } }],
    [/text\.en\.login: .*full stop/, { send, text: { en: "{code} ist der Code." } }],
    [/text\.en\.login: .*single spaces/, { send, text: { en: "Your  code is {code}." } }],
    [/text\.en\.login: expected one line/, { send, text: { en: "Your code\nis {code}." } }],
    [/text\.pl\.login: .*GSM-7 only, which ó is not/, { send, text: { pl: "Twój kod: {code}." } }],
    [
      /text\.de\.step_up: expected at most 140 .*localhost.*shorten it by 16\. See/,
      { send, text: { ...text, de: { login: text.en, step_up: `${"a".repeat(120)} {code}.` } } },
    ],
  ])("with the message %s", (message, options) => {
    expect(create(options)).toThrow(TypeError);
    expect(create(options)).toThrow(message);
  });

  test("of several hosts one has to be chosen, and of them only", () => {
    const origins = ["https://app.example.com", "https://www.example.com", "https://app.example.com:8443"];
    const expected = /appCodes: host: expected the host of the login page, .*app\.example\.com, www\.example\.com\./;
    expect(create({ send }, origins)).toThrow(expected);
    expect(create({ sender: "Example", host: "example.com" }, origins)).toThrow(expected);
    expect(create({ send, host: "www.example.com" }, origins)).not.toThrow();
    expect(create({ send }, origins.slice(1, 2))).not.toThrow();
    expect(create({ send, host: "evil.example" }, origins.slice(1, 2))).toThrow(/one of those of origins: www/);
    // The pages inside apps have no host that a text could name.
    expect(create({ send }, ["https://localhost", "capacitor://localhost", ...origins.slice(1, 2)])).not.toThrow();
  });

  test("a host that browsers do not read in a text is refused", () => {
    expect(create({ send }, ["https://my_app.example.com"])).toThrow(/my_app\.example\.com has a character/);
    expect(create({ send }, ["https://[2001:db8::1]"])).toThrow(/appCodes: host: /);
  });

  test("on this machine the host is localhost, whatever is chosen for production", () => {
    expect(create({ send, host: "app.example.com" })).not.toThrow();
    expect(create({ send, host: "app.example.com" }, ["http://localhost:3000", "http://[::1]:3000"])).not.toThrow();
  });

  test("a long host that leaves no room for the kit's own texts is named", () => {
    const host = `${"a".repeat(60)}.${"b".repeat(60)}.example`;
    expect(create({ sender: "Example" }, [`https://${host}`])).toThrow(
      new RegExp(`text\\.en\\.login: .*${host.replaceAll(".", "\\.")}.*shorten it`),
    );
  });
});
