/** The redaction of the service's texts, so that no secret it echoes reaches an error or a log. */
export interface Redaction {
  /** Returns one line of at most 200 characters, without the secrets and without any run of four or more digits. */
  clean(text: string): string;
  /** Tells whether the text contains none of the secrets. */
  isClean(text: string): boolean;
}

const maxCharacters = 200;

/** Four or more digits of any script, also separated by spaces or punctuation: they may be a phone number or a code. */
const digits = /\p{Nd}(?:[^\p{L}\p{N}]{0,3}\p{Nd}){3,}/gu;

/** Masks every run of four or more digits. */
export function maskDigits(text: string): string {
  return text.replaceAll(digits, "[…]");
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
    isClean: (text) => !secrets.some((secret) => text.includes(secret)),
  };
}
