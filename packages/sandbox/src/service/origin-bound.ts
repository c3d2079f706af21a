/** The code in the last line of a text, and the only host at which browsers fill it in. */
interface OriginBoundCode {
  readonly host: string;
  readonly code: string;
}

/** A text with a line like `@example.com #123456`. */
interface OriginBoundText {
  readonly bound: OriginBoundCode | undefined;
  readonly problem: OriginBoundProblem | undefined;
}

/** The reason for which browsers do not read the code of a text. */
export type OriginBoundProblem = "not_last_line" | "wrong_form" | "too_long";

/** The whole line: single spaces, and nothing before or after. */
const strictLine = /^@([a-z0-9-]+(?:\.[a-z0-9-]+)*) #([0-9A-Za-z]+)$/;
/** A line that was probably meant to be such a line. */
const likeLine = /(?:^|\s)@\S+\s*#\S+/;

const maxCharacters = 140;

/**
 * Reads a text as a phone's browser does, which fills its code in on one site only. Undefined for a text without such a line.
 *
 * @see https://wicg.github.io/sms-one-time-codes/
 */
export function readOriginBound(text: string): OriginBoundText | undefined {
  const lines = text.split("\n").map(parseLine);
  const bound = lines.at(-1);
  if (bound) return { bound, problem: [...text].length > maxCharacters ? "too_long" : undefined };
  if (lines.some((line) => line !== undefined)) return { bound, problem: "not_last_line" };
  return likeLine.test(text) ? { bound, problem: "wrong_form" } : undefined;
}

function parseLine(line: string): OriginBoundCode | undefined {
  const [, host, code] = strictLine.exec(line) ?? [];
  return host === undefined || code === undefined ? undefined : { host, code };
}
