import type { CodeTexts } from "./code-texts.ts";

/** The default texts for codes. Languages whose letters GSM-7 lacks have words without these letters. */
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
  es: {
    login: "Tu clave de acceso es {code}. No la compartas.",
    link: "Tu clave para este teléfono es {code}. No la compartas.",
    step_up: "Tu clave para confirmar es {code}. No la compartas.",
    verify: "Tu clave para confirmar es {code}. No la compartas.",
  },
  fr: {
    login: "Votre code de connexion est {code}. Ne le partagez pas.",
    link: "Votre code pour ce numéro est {code}. Ne le partagez pas.",
    step_up: "Votre code de confirmation est {code}. Ne le partagez pas.",
    verify: "Votre code de confirmation est {code}. Ne le partagez pas.",
  },
  it: {
    login: "Il tuo codice di accesso è {code}. Non condividerlo.",
    link: "Il tuo codice per questo numero è {code}. Non condividerlo.",
    step_up: "Il tuo codice di conferma è {code}. Non condividerlo.",
    verify: "Il tuo codice di conferma è {code}. Non condividerlo.",
  },
  pl: {
    login: "Kod logowania: {code}. Nikomu go nie podawaj.",
    link: "Kod do dodania numeru: {code}. Nikomu go nie podawaj.",
    step_up: "Kod potwierdzenia: {code}. Nikomu go nie podawaj.",
    verify: "Kod potwierdzenia: {code}. Nikomu go nie podawaj.",
  },
  // Brazilian Portuguese, for every kind of Portuguese.
  pt: {
    login: "Para entrar, use {code}. Nunca compartilhe.",
    link: "Para adicionar este telefone, use {code}. Nunca compartilhe.",
    step_up: "Para confirmar este telefone, use {code}. Nunca compartilhe.",
    verify: "Para confirmar este telefone, use {code}. Nunca compartilhe.",
  },
  tr: {
    login: "Oturum kodunuz {code}. Kimseye vermeyin.",
    link: "Numara ekleme kodunuz {code}. Kimseye vermeyin.",
    step_up: "Onay kodunuz {code}. Kimseye vermeyin.",
    verify: "Onay kodunuz {code}. Kimseye vermeyin.",
  },
};
