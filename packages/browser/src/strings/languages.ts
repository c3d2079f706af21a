import { de } from "./de.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { it } from "./it.ts";
import { pl } from "./pl.ts";
import { ptBR } from "./pt-br.ts";
import type { Strings } from "./strings.ts";
import { tr } from "./tr.ts";

/** The words of every language that the package has, by its BCP 47 tag. */
export const languages: Readonly<Record<string, Strings>> = { en, de, es, fr, it, pl, "pt-BR": ptBR, tr };

const tagsByPrimary = new Map(Object.keys(languages).map((tag) => [primaryOf(tag), tag]));

/** Finds the language of the package with the same primary language: `pt-BR` for `pt-PT`. */
export function knownLanguage(tag: string): string | undefined {
  return tagsByPrimary.get(primaryOf(tag));
}

function primaryOf(tag: string): string {
  return tag.toLowerCase().split("-")[0] ?? "";
}
