import type { LoginLimits } from "./login-limits.ts";

/*
 * Wrong codes of a number in a row, over all of its logins. A limit that closes the number is a weapon against its owner, so it is
 * used only where nothing else helps. Where the app owns the codes, they get longer instead: a code of ten digits is not guessed.
 */

/** The greatest number of digits that a code may have. */
export const maxCodeLength = 10;

/** The numbers of digits that follow after a part of `failuresPerPhone`: 8 after 20 wrong codes, 10 after 60. */
const longerCodes = [
  { digits: 8, afterPart: 0.2 },
  { digits: maxCodeLength, afterPart: 0.6 },
];

type FailureLimits = Pick<LoginLimits, "failuresPerPhone" | "attemptsPerTransaction">;

function failuresBefore({ failuresPerPhone }: FailureLimits, afterPart: number): number {
  return Math.ceil(failuresPerPhone * afterPart);
}

/**
 * Returns the number of digits of a number's next codes.
 *
 * @param failures - the wrong codes in a row.
 * @param usualDigits - the number of digits without any.
 */
export function codeLengthAfter(limits: FailureLimits, failures: number, usualDigits: number): number {
  const reached = longerCodes.filter(({ afterPart }) => failures >= failuresBefore(limits, afterPart));
  return Math.max(usualDigits, ...reached.map(({ digits }) => digits));
}

/**
 * Returns how many wrong codes in a row a number may have while codes of so many digits are checked; `undefined` for the longest
 * codes, which are always checked. A login that began just before the codes became longer has all of its attempts.
 */
export function maxFailuresFor(limits: FailureLimits, codeLength: number): number | undefined {
  const longer = longerCodes.find(({ digits }) => digits > codeLength);
  return longer && failuresBefore(limits, longer.afterPart) + limits.attemptsPerTransaction;
}
