import { z } from "zod";
import { maxCodeLength } from "../limits/login-limits.ts";
import { countGsm7, foreignToGsm7 } from "../util/gsm7.ts";
import { strictOptions } from "../util/parse-options.ts";
import type { LoginCode } from "./code-strategy.ts";
import { lookUpLanguage, parseLanguage } from "./language.ts";
import { originBoundLine } from "./origin-bound.ts";
import { type Purpose, purposes } from "./purpose.ts";

/**
 * The texts for codes by language, such as `{ en: "Your code for Example is {code}.", de: "Ihr Code für Example ist
 * {code}." }`. The first language is that of everybody whose own is not here. The kit adds the line that binds the code
 * to your site.
 */
export type CodeTexts = Readonly<Record<string, string | TextsByPurpose>>;

/** The texts of one language. A purpose without one has that of `login`. */
export interface TextsByPurpose {
  readonly login: string;
  readonly link?: string;
  readonly step_up?: string;
  readonly verify?: string;
}

/** The default texts for codes. */
export const defaultTexts: CodeTexts = {
  en: {
    login: "Your login code is {code}. Do not share it.",
    link: "Your code to add this number is {code}. Do not share it.",
    step_up: "Your code to confirm your number is {code}. Do not share it.",
    verify: "Your code to confirm your number is {code}. Do not share it.",
  },
  de: {
    login: "Ihr Code zum Anmelden ist {code}. Bitte nicht weitergeben.",
    link: "Ihr Code für diese Nummer ist {code}. Bitte nicht weitergeben.",
    step_up: "Ihr Code zur Bestätigung ist {code}. Bitte nicht weitergeben.",
    verify: "Ihr Code zur Bestätigung ist {code}. Bitte nicht weitergeben.",
  },
};

/** Words a code: in the language of a login if there is a text in it, else in the first one. */
export type WordCode = (code: string, login: Pick<LoginCode, "language" | "purpose">) => string;

const example = '{ en: "Your code for Example is {code}." }';
const expectedText = 'expected a text such as "Your code for Example is {code}."';
const template = z.string(expectedText).min(1, expectedText);

/**
 * The shape of the option `text`. {@link createCodeTexts} checks the texts, once their host is known.
 *
 * @internal
 */
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

/** An SMS beyond it is one that browsers do not read. */
const maxCharacters = 140;

/**
 * Creates the function that words codes, from texts that are checked here: whatever the code is, browsers read the code
 * in the text, and the text is a single SMS.
 *
 * @throws TypeError naming the language, the purpose and the fix
 */
export function createCodeTexts(texts: CodeTexts, host: string): WordCode {
  const entries = Object.entries(texts).map(([tag, text]) => [languageOf(tag), byPurpose(text)] as const);
  for (const [language, templates] of entries) {
    for (const purpose of purposes) checkTemplate(`${language}.${purpose}`, templates[purpose], host);
  }
  const byLanguage = new Map(entries);
  const first = entries[0]?.[1] ?? byPurpose("");
  return (code, { language, purpose }) => {
    const templates = (language !== undefined && lookUpLanguage(byLanguage, language)) || first;
    return fillIn(templates[purpose], host, code);
  };
}

function languageOf(tag: string): string {
  const language = parseLanguage(tag);
  if (language !== undefined) return language;
  throw new TypeError(`appCodes: text.${tag}: expected a language tag such as en or pt-BR.`);
}

function byPurpose(text: string | TextsByPurpose): Readonly<Record<Purpose, string>> {
  if (typeof text === "string") return { login: text, link: text, step_up: text, verify: text };
  const { login, link = login, step_up = login, verify = login } = text;
  return { login, link, step_up, verify };
}

const placeholder = "{code}";

function fillIn(words: string, host: string, code: string): string {
  return `${words.replace(placeholder, code)}\n\n${originBoundLine(host, code)}`;
}

function checkTemplate(name: string, words: string, host: string): void {
  const mistake = mistakeIn(words, host);
  if (mistake === undefined) return;
  const readMore = 'See "Texts" in the README of @doorcode/core.';
  throw new TypeError(`appCodes: text.${name}: ${mistake}. ${readMore}`);
}

/** Returns what is wrong with a text, and the fix. */
function mistakeIn(words: string, host: string): string | undefined {
  const [before = "", after, ...others] = words.split(placeholder);
  if (after === undefined) return "expected {code} where the code belongs";
  // Browsers that look for the line in the whole text would read the words instead.
  if (others.length > 0 || /@\S+\s+#/.test(words)) {
    return "expected {code} only once: the kit adds the last line, which browsers read, by itself";
  }
  if (/[{}]/.test(before + after)) return "expected no placeholder but {code}, which is the only one";
  // Phones suggest a code from the words as well, and take what touches it for a part of it.
  if (!/(?:^| )$/.test(before) || !/^\.(?: |$)/.test(after)) {
    return 'expected a space before {code} and a full stop after it, as in "Your code is {code}."';
  }
  if (/\p{Cc}| {2}|^ | $/u.test(words)) return "expected one line, with single spaces between its words";
  const foreign = foreignToGsm7(words);
  if (foreign.length > 0) {
    return `expected characters of GSM-7 only, which ${foreign.join(" ")} is not: an SMS with it has half the room`;
  }
  const excess = countGsm7(fillIn(words, host, "0".repeat(maxCodeLength))) - maxCharacters;
  if (excess <= 0) return undefined;
  return (
    `expected at most ${maxCharacters} characters with the line for ${host} and a code of ${maxCodeLength} digits ` +
    `(€ [ ] and a few others count twice): shorten it by ${excess}`
  );
}
