/** Keeps what the service may have echoed out of errors and logs. */
export interface Redaction {
  /** One line of 200 characters at most, without the secrets and without any run of four digits or more. */
  clean(text: string): string;
  /** True when none of the secrets stands in the text. */
  isClean(text: string): boolean;
}

const longest = 200;

/** Four digits and more, in any script, also spread over spaces and punctuation: a phone number or a code. */
const digits = /\p{Nd}(?:[^\p{L}\p{N}]{0,3}\p{Nd}){3,}/gu;

/** Creates the redaction of one request: of the API key and of what the request held. */
export function createRedaction(values: readonly string[]): Redaction {
  const secrets = values.filter((value) => value !== "");
  return {
    clean(text) {
      return secrets
        .reduce((rest, secret) => rest.replaceAll(secret, "[…]"), text)
        .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
        .replaceAll(digits, "[…]")
        .trim()
        .slice(0, longest);
    },
    isClean: (text) => !secrets.some((secret) => text.includes(secret)),
  };
}
