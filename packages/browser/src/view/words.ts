import type { Sentence } from "../strings/strings.ts";
import type { ViewChild } from "./node.ts";

/** Reads an own member, so that `constructor` in a crafted link finds nothing. */
export function ownText(texts: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}

/** Puts texts into the `{placeholders}` of a sentence. */
export function fill(sentence: string, values: Readonly<Record<string, string | number>>): string {
  return sentence.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
}

/** Puts nodes into the `{placeholders}` of a sentence. */
export function fillNodes(sentence: string, values: Readonly<Record<string, ViewChild>>): ViewChild[] {
  return sentence.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 1 ? values[part] : part));
}

/** Chooses the form of a sentence for a number, and puts it in as `{count}`. */
export function plural(sentence: Sentence, count: number, language: string): string {
  const forms = typeof sentence === "string" ? { other: sentence } : sentence;
  return fill(forms[new Intl.PluralRules(language).select(count)] ?? forms.other, { count });
}

/** Returns a language tag that `Intl` takes: English for a malformed one. */
export function languageOf(tag: string | undefined): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? "en";
  } catch {
    return "en";
  }
}

/** Writes the seconds of a countdown as `1:05`. */
export function clockOf(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Returns the whole seconds until an instant; 0 when it is over. */
export function secondsUntil(instant: number, now: number): number {
  return Math.max(0, Math.ceil((instant - now) / 1000));
}

const units = [
  ["hour", 3600],
  ["minute", 60],
] as const;

/** Writes a while as "in 30 seconds", "in 12 minutes" or "in 3 hours", in the words of the language. */
export function inWords(seconds: number, language: string): string {
  const [unit, size] = units.find((candidate) => seconds > 1.5 * candidate[1]) ?? (["second", 1] as const);
  return new Intl.RelativeTimeFormat(language).format(Math.ceil(seconds / size), unit);
}
