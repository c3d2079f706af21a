import { z } from "zod";
import { maxCodeLength } from "../limits/login-limits.ts";
import { type CountryTable, forCountry, namedCountries } from "../phone/by-country.ts";
import { parseE164 } from "../phone/phone-number.ts";
import { isLoopbackOrigin } from "../util/origin.ts";
import { strictOptions } from "../util/parse-options.ts";
import { type LoginCode, type Purpose, parseLanguage, purposes } from "./code-strategy.ts";

/**
 * The texts for codes by language, such as `{ en: "Your code for Example is {code}.", de: "Ihr Code für Example ist {code}." }`. The first
 * language is that of everybody whose own is not here. The kit adds the line that binds the code to your site.
 */
export type CodeTexts = Readonly<Record<string, string | TextsByPurpose>>;

/** The texts of one language. A purpose without one has that of `login`. */
export interface TextsByPurpose {
  readonly login: string;
  readonly link?: string;
  readonly step_up?: string;
  readonly verify?: string;
}

/** Words a code: in the language of a login if there is a text in it, else in the first one. */
export type WordCode = (code: string, login: Pick<LoginCode, "language" | "purpose">) => string;

const example = '{ en: "Your code for Example is {code}." }';
const expectedText = 'expected a text such as "Your code for Example is {code}."';
const template = z.string(expectedText).min(1, expectedText);

/** The shape of the option `text`. {@link createCodeTexts} checks the texts, once their host is known. @internal */
export const codeTextsShape: z.ZodType<CodeTexts> = z
  .record(
    z.string(),
    z.union(
      [
        template,
        strictOptions({
          login: template,
          link: template.exactOptional(),
          step_up: template.exactOptional(),
          verify: template.exactOptional(),
        }),
      ],
      "expected a text, or { login, link, step_up, verify } with a text each",
    ),
    `expected a text for each language, such as ${example}`,
  )
  .refine((texts) => Object.keys(texts).length > 0, `expected a text for one language at least, such as ${example}`);

const textsDocument = "https://github.com/doorcode/doorcode/blob/main/packages/core/docs/codes.md#texts";

/** An SMS beyond it is one that browsers do not read. */
const maxCharacters = 140;

/** Creates the function that words codes by the country of their number, from texts as {@link createCodeTexts} takes. */
export function createTextsByCountry(
  {
    text,
    hostLine = { default: true },
  }: { readonly text: CountryTable<CodeTexts>; readonly hostLine?: CountryTable<boolean> | undefined },
  host: string,
): (code: string, login: Pick<LoginCode, "language" | "purpose" | "phone">) => string {
  const wordsOf = (country: string | undefined) => {
    const path = country === undefined ? "text" : `text.${country}`;
    return createCodeTexts(forCountry(text, country), forCountry(hostLine, country) ? host : undefined, path);
  };
  const named = [text, hostLine].flatMap(namedCountries);
  const byCountry = new Map(named.map((country) => [country, wordsOf(country)]));
  const others = wordsOf(undefined);
  return (code, login) => (byCountry.get(parseE164(login.phone)?.country ?? "") ?? others)(code, login);
}

/**
 * Creates the function that words codes. It checks the texts, which stand at `path` of the options: with any code, a text is a single SMS,
 * and with a `host` browsers read the code in its last line. Without a host, the text is sent to the letter.
 *
 * @throws TypeError naming the language, the purpose and the fix
 */
export function createCodeTexts(texts: CodeTexts, host: string | undefined, path = "text"): WordCode {
  const byLanguage = new Map<string, TextsForPurposes>();
  for (const [tag, text] of Object.entries(texts)) {
    const language = parseLanguage(tag);
    if (language === undefined) {
      throw new TypeError(`appCodes: ${path}.${tag}: expected a language tag such as en or pt-BR.`);
    }
    const templates = byPurpose(text);
    for (const purpose of purposes) {
      const mistake = mistakeIn(templates[purpose], host);
      if (mistake === undefined) continue;
      throw new TypeError(`appCodes: ${path}.${language}.${purpose}: ${mistake}. See ${textsDocument}`);
    }
    byLanguage.set(language, templates);
  }
  const [first = byPurpose("")] = byLanguage.values();
  return (code, { language, purpose }) => {
    const templates = (language !== undefined && lookUpLanguage(byLanguage, language)) || first;
    return fillIn(templates[purpose], host, code);
  };
}

type TextsForPurposes = Readonly<Record<Purpose, string>>;

function byPurpose(text: string | TextsByPurpose): TextsForPurposes {
  const { login, link = login, step_up = login, verify = login } = typeof text === "string" ? { login: text } : text;
  return { login, link, step_up, verify };
}

const placeholder = "{code}";

/** Browsers fill a code in on the host of the last line only. Nothing may follow it. @see https://wicg.github.io/sms-one-time-codes/ */
function fillIn(words: string, host: string | undefined, code: string): string {
  const text = words.replace(placeholder, code);
  return host === undefined ? text : `${text}\n\n@${host} #${code}`;
}

function mistakeIn(words: string, host: string | undefined): string | undefined {
  const [before = "", after, ...others] = words.split(placeholder);
  if (after === undefined) return "expected {code} where the code belongs";
  // Browsers that look for the line in the whole text would read the words instead.
  if (others.length > 0 || /@\S+\s+#/.test(words)) {
    return "expected {code} only once: the kit adds the last line, which browsers read, by itself";
  }
  if (/[{}]/.test(before + after)) return "expected no placeholder but {code}, which is the only one";
  const longest = fillIn(words, host, "0".repeat(maxCodeLength));
  if (host === undefined) return mistakeToTheLetter(longest);
  // Phones suggest a code from the words as well, and take what touches it for a part of it.
  if (!/(?:^| )$/.test(before) || !/^\.(?: |$)/.test(after)) {
    return 'expected a space before {code} and a full stop after it, as in "Your code is {code}."';
  }
  if (/\p{Cc}| {2}|^ | $/u.test(words)) return "expected one line, with single spaces between its words";
  const foreign = foreignToGsm7(words);
  if (foreign.length > 0) {
    return `expected characters of GSM-7 only, which ${foreign.join(" ")} is not: an SMS with it has half the room`;
  }
  const excess = countGsm7(longest) - maxCharacters;
  if (excess <= 0) return undefined;
  return (
    `expected at most ${maxCharacters} characters with the line for ${host} and a code of ${maxCodeLength} digits ` +
    `(€ [ ] and a few others count twice): shorten it by ${excess}`
  );
}

/** Returns what is wrong with a text that a regulator has registered: only its length can be. */
function mistakeToTheLetter(longest: string): string | undefined {
  const isGsm7 = foreignToGsm7(longest).length === 0;
  const excess = isGsm7 ? countGsm7(longest) - 160 : longest.length - 70;
  if (excess <= 0) return undefined;
  const limit = isGsm7 ? "160 characters" : "70 characters, because it has letters that GSM-7 lacks,";
  return `expected one SMS: at most ${limit} with a code of ${maxCodeLength} digits: shorten it by ${excess}`;
}

/** Labels of letters, digits and hyphens: the hosts that browsers read in such a line. */
const readHost = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;

/**
 * Decides at start which host the codes of texts are bound to: `localhost` if no origin is of another machine, else the only host of the
 * websites, or the chosen one. Never the host of a request: with it, a stranger could have codes filled in on his own site.
 *
 * @throws TypeError for several hosts of which none is chosen, for another host, and for one that browsers do not read
 */
export function decideTextHost(origins: readonly string[] | undefined, chosen: string | undefined): string {
  if (!origins || origins.every(isLoopbackOrigin)) return "localhost";
  const ofWebsite = origins.filter((origin) => !isLoopbackOrigin(origin) && origin.startsWith("https:"));
  const hosts = [...new Set(ofWebsite.map((origin) => new URL(origin).hostname))];
  const host = chosen ?? (hosts.length === 1 ? hosts[0] : undefined);
  if (host === undefined || !hosts.includes(host)) {
    throw new TypeError(
      `appCodes: host: expected the host of the login page, one of those of origins: ${hosts.join(", ")}.`,
    );
  }
  if (!readHost.test(host)) {
    throw new TypeError(
      `appCodes: host: ${host} has a character that browsers do not read in a text: serve the login page from another host.`,
    );
  }
  return host;
}

/** Looks a language up, then the same without its last part: `pt-BR`, then `pt`. RFC 4647, section 3.4. */
export function lookUpLanguage<Item>(byLanguage: ReadonlyMap<string, Item>, language: string): Item | undefined {
  const found = byLanguage.get(language);
  if (found !== undefined || !language.includes("-")) return found;
  return lookUpLanguage(byLanguage, language.replace(/-[^-]+$/, ""));
}

const basic: ReadonlySet<string> = new Set(
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà",
);
const extended: ReadonlySet<string> = new Set("\f^{}\\[~]|€");

/** Returns the characters of a text that GSM-7 does not have, each once. One of them halves the room of an SMS. */
function foreignToGsm7(text: string): readonly string[] {
  return [...new Set(text)].filter((character) => !basic.has(character) && !extended.has(character));
}

/** Counts the characters of a text as an SMS does: those of GSM-7's extension, such as `€` and `[`, take the room of two. */
function countGsm7(text: string): number {
  return [...text].reduce((count, character) => count + (extended.has(character) ? 2 : 1), 0);
}
