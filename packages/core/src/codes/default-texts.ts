import type { CodeTexts } from "./code-texts.ts";

/** The texts for codes of an app that has none of its own. */
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
