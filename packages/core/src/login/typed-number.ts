import { z } from "zod";
import { seal, unseal } from "../util/keys.ts";

/** A number as a person typed it. */
export interface TypedNumber {
  readonly phone: string;
  /** The ISO 3166 code of the country that was chosen. */
  readonly country?: string | undefined;
}

/** The tools that keep the number of a refused form in the browser, for its page to show it again. */
export interface TypedNumbers {
  /** Seals a number, so that nothing on the way of its cookie learns it; `undefined` for one that is too long to be kept. */
  seal(number: TypedNumber): Promise<string | undefined>;
  /** Reads a sealed number; `undefined` for any other text. */
  open(text: string | undefined): Promise<TypedNumber | undefined>;
}

/** The time in which a person corrects a number. */
export const typedNumberSeconds = 300;

const maxCharacters = 64;
const typedShape = z.object({ phone: z.string(), country: z.string().optional() });

/** Creates the tools for typed numbers: the first password seals, and each of them opens. */
export function createTypedNumbers(passwords: readonly string[]): TypedNumbers {
  return {
    async seal({ phone, country = "" }) {
      if (phone.length + country.length > maxCharacters) return undefined;
      return seal(passwords, { phone, ...(country && { country }) });
    },
    open: async (text) => (text === undefined ? undefined : unseal(passwords, text, typedShape)),
  };
}
