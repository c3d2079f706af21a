/** The redaction of the service's texts, so that no secret it echoes reaches an error or a log. */
export interface Redaction {
  /** Returns one line of at most 200 characters, without the secrets and without any run of four or more digits. */
  clean(text: string): string;
  /** Tells whether an id contains none of the secrets, no six digits of one in any spelling, and nothing that could be a phone number. */
  isClean(id: string): boolean;
}

const maxCharacters = 200;

/** Four or more digits of any script, also separated by spaces or punctuation: they may be a phone number or a code. */
const digits = /\p{Nd}(?:[^\p{L}\p{N}]{0,3}\p{Nd}){3,}/gu;

/** Masks every run of four or more digits. */
export function maskDigits(text: string): string {
  return text.replaceAll(digits, "[…]");
}

/** Other characters, such as a percent sign or a space, could spell digits or separate them. */
const idForm = /^[\w./:+=~@-]{1,200}$/;
const hexadecimal = /^(?=.*[a-f])[0-9a-f-]+$/i;
/** A phone number that stands alone, or apart from the rest of an id. It has at most 15 digits, after the two of an international prefix. */
const phoneDigits = /(?<![a-z\d])\d(?:[^a-z\d]*\d){6,16}(?![a-z\d])/i;

function withoutSeparators(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Returns every six digits in a row of a text, separators apart. */
function sixDigitsOf(text: string): readonly string[] {
  return Array.from(withoutSeparators(text).matchAll(/(?=(\d{6}))/g), ([, six = ""]) => six);
}

/** Creates the redaction of one request. The values are the API key and the sensitive texts of the request. */
export function createRedaction(values: readonly string[]): Redaction {
  const secrets = values.filter((value) => value !== "");
  return {
    clean(text) {
      const line = secrets
        .reduce((rest, secret) => rest.replaceAll(secret, "[…]"), text)
        .replaceAll(/[\p{C}\p{Z}]+/gu, " ");
      return maskDigits(line).trim().slice(0, maxCharacters);
    },
    isClean(id) {
      if (!idForm.test(id) || secrets.some((secret) => id.includes(secret))) return false;
      const compact = withoutSeparators(id);
      if (secrets.flatMap(sixDigitsOf).some((six) => compact.includes(six))) return false;
      return hexadecimal.test(id) || !phoneDigits.test(id);
    },
  };
}
