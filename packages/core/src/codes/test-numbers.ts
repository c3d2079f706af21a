import { z } from "zod";
import { type AllowedCountries, allowPhone, channelsFor, type OfferedChannels } from "../phone/allowed-numbers.ts";
import { parseE164 } from "../phone/phone-number.ts";
import type { Clock } from "../util/clock.ts";
import { createWarning, isDoorcodeError } from "../util/errors.ts";
import { isSameText } from "../util/keys.ts";
import { strictOptions } from "../util/parse-options.ts";
import type { CodeStrategy, LoginCode } from "./code-strategy.ts";

/** Numbers that log in with a code of their own, for people who review the app. Nothing is ever sent to them. */
export interface TestNumbers {
  /** The codes, by number in E.164. */
  readonly numbers: Readonly<Record<string, string>>;
  /** The last day on which the codes are right, in UTC, such as `2027-01-31`; at most 365 days from now. */
  readonly until: string;
}

const example = '{ "+4915100000001": "123456" }';

/** The shape of the option `testNumbers`. Its errors name no number and no code. @internal */
export const testNumbersShape: z.ZodType<TestNumbers> = strictOptions(
  {
    numbers: z.custom<TestNumbers["numbers"]>(isTextRecord, `expected a code for each number, such as ${example}`),
    until: z.iso.date('expected the last day of the test numbers, in UTC, such as "2027-01-31"'),
  },
  `{ numbers: ${example}, until: "2027-01-31" }`,
);

function isTextRecord(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const texts = Object.values(value);
  return texts.length > 0 && texts.every((text) => typeof text === "string");
}

interface TestNumberDeps {
  readonly codes: CodeStrategy;
  readonly clock: Clock;
  readonly countries: AllowedCountries;
  readonly channels: OfferedChannels;
  /** Called when the code of a test number is not sent, or is checked. */
  readonly onUsed: (code: LoginCode, step: "send" | "check") => void;
}

const dayMilliseconds = 86_400_000;
const maxDays = 365;

/**
 * Wraps the owner of the codes: until the last day is over, a test number has its fixed code, and the owner is not asked. After it the list
 * is ignored, with one warning.
 *
 * @throws TypeError for a last day that is too far away, a number that could not log in, and a code of a wrong form
 */
export function withTestNumbers(deps: TestNumberDeps, { numbers, until }: TestNumbers): CodeStrategy {
  const { codes, clock, onUsed } = deps;
  checkTestNumbers(deps, numbers);
  const codeByNumber = new Map(Object.entries(numbers));
  const lastDayAt = Date.parse(until);
  if (lastDayAt > clock.now() + maxDays * dayMilliseconds) {
    throw new TypeError(`createDoorcode: login.testNumbers.until: expected a day within the next ${maxDays} days.`);
  }

  const warnOfEnd = createWarning(
    "test_numbers_ended",
    `login.testNumbers ended on ${until}: its numbers get codes like any other. Remove the option, or choose a later day.`,
  );
  const isOver = () => clock.now() >= lastDayAt + dayMilliseconds;
  if (isOver()) warnOfEnd();

  function fixedCodeOf(phone: string): string | undefined {
    if (!isOver()) return codeByNumber.get(phone);
    warnOfEnd();
    return undefined;
  }

  return {
    ...codes,
    lengthensCodes: (phone) => fixedCodeOf(phone) === undefined && codes.lengthensCodes(phone),
    async send(code, channels) {
      if (fixedCodeOf(code.phone) === undefined) return codes.send(code, channels);
      onUsed(code, "send");
      return {};
    },
    async check(typed, code) {
      const fixed = fixedCodeOf(code.phone);
      if (fixed === undefined) return codes.check(typed, code);
      onUsed(code, "check");
      return isSameText(typed, fixed) ? "right" : "wrong";
    },
  };
}

function checkTestNumbers({ codes, channels, countries }: TestNumberDeps, numbers: TestNumbers["numbers"]): void {
  const { min, max } = codes.digits;
  const digits = min === max ? `${min}` : `${min} to ${max}`;
  const codeForm = new RegExp(`^[0-9]{${min},${max}}$`);
  Object.entries(numbers).forEach(([number, code], index) => {
    // The entry is named by its place: numbers and codes do not belong in an error.
    const entry = `createDoorcode: login.testNumbers.numbers: entry ${index + 1}`;
    try {
      channelsFor(channels, allowPhone(parseE164(number), countries), undefined);
    } catch (error) {
      if (!isDoorcodeError(error)) throw error;
      throw new TypeError(`${entry} could not log in (${error.code}): expected a number such as ${example}.`);
    }
    if (!codeForm.test(code)) throw new TypeError(`${entry} has a wrong code: expected ${digits} digits.`);
  });
}
