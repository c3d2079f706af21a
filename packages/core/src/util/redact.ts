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

/** Masks every run of four or more digits, which may be a phone number or a code. */
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

/** The summary of an error: its name, its `code` and one short line. */
export interface ErrorSummary {
  readonly name: string;
  readonly code: string | undefined;
  readonly message: string;
}

const { clean } = createRedaction([]);

/** A thrown text may hold megabytes; only its beginning is read, because the summary is short. */
const maxReadCharacters = 2000;

/**
 * Summarizes a thrown value: its name, its `code` if there is one, and one line of at most 200 characters without any run of four digits. A
 * database's error code may keep its digits. Stack and cause are dropped. Never throws. The rest of the message is kept as the app wrote
 * it, so an app should put no secret into it.
 */
export function summarizeError(thrown: unknown): ErrorSummary {
  const name = typeof thrown;
  if (typeof thrown !== "object") return { name, code: undefined, message: cleanText(thrown) };
  const code = read(thrown, "code");
  return {
    // Read by member: an error of another realm, such as a `vm` context, is not an `instanceof Error`.
    name: cleanText(read(thrown, "name")) || name,
    code: typeof code === "string" ? cleanCode(code) : undefined,
    message: cleanText(read(thrown, "message")),
  };
}

/** Of an error that is printed, so much is read. */
const maxPrinted = { causes: 5, stackCharacters: 20_000 };

/**
 * Prints name, `code`, message and stack of an error and its causes, with long numbers masked, for a developer. Other members are left out:
 * those of a database's error hold the values of its statement. Never throws.
 */
export function printError(thrown: unknown): string {
  const printed: string[] = [];
  let error = thrown;
  // An error may be its own cause.
  do {
    printed.push(printOne(error));
    error = read(error, "cause");
  } while (error !== undefined && printed.length <= maxPrinted.causes);
  return printed.join("\n[cause] ");
}

function printOne(thrown: unknown): string {
  const { name, code } = summarizeError(thrown);
  const text = typeof thrown === "string" ? thrown : read(thrown, "message");
  const message = typeof text === "string" ? text : "";
  const title = code === undefined ? name : `${name} ${code}`;
  const shown = maskDigits(message.slice(0, maxReadCharacters)).toWellFormed();
  return [shown === "" ? title : `${title}: ${shown}`, ...framesOf(thrown, message)].join("\n");
}

/** Returns the lines of the stack. The message above them may look like one, so it is cut off. */
function framesOf(thrown: unknown, message: string): readonly string[] {
  const stack = read(thrown, "stack");
  if (typeof stack !== "string") return [];
  const at = stack.indexOf(message);
  const below = at === -1 ? stack : stack.slice(at + message.length);
  const frames = below.slice(0, maxPrinted.stackCharacters).match(/^ +at .+/gm) ?? [];
  return frames.map((frame) => frame.replace(framePlace, (_, text: string, place: string) => maskDigits(text) + place));
}

/** A line of a stack, and the line and column at its end. */
const framePlace = /^(.*?)((?::\d{1,7}:\d{1,7})?\)?)$/;

/** Reads a member of a thrown value, which may throw when it is read. */
function read(thrown: unknown, member: string): unknown {
  try {
    return typeof thrown === "object" && thrown !== null ? Reflect.get(thrown, member) : undefined;
  } catch {
    return undefined;
  }
}

/** Databases name errors by five characters. If all five are digits, they are still no phone number. */
const sqlState = /^[0-9A-Z]{5}$/;

function cleanCode(code: string): string {
  return sqlState.test(code) ? code : cleanText(code);
}

/** A text that was cut within a surrogate pair would not fit into JSON of PostgreSQL, so it is made well-formed. */
function cleanText(text: unknown): string {
  return typeof text === "string" ? clean(text.slice(0, maxReadCharacters)).toWellFormed() : "";
}
