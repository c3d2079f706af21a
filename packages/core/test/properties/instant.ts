import assert from "node:assert/strict";
import fc from "fast-check";
import { millisecondsOf, rankInstant } from "../../src/webhooks/event.ts";
import { anyText, createProperty, mutated, type ParserProperty } from "./property.ts";

const nanosecondsPerSecond = 1_000_000_000n;
/** 1970 to 9998, so that the year has four digits in every offset. */
const instants = fc.bigInt({ min: 2n * 86_400n * nanosecondsPerSecond, max: 253_370_764_799n * nanosecondsPerSecond });

function split(nanoseconds: bigint): { readonly seconds: number; readonly fraction: string } {
  const fraction = String(nanoseconds % nanosecondsPerSecond).padStart(9, "0");
  return { seconds: Number(nanoseconds / nanosecondsPerSecond), fraction };
}

/** Writes an instant as ISO 8601 with an offset, and with zeros added to its fraction. */
function iso(nanoseconds: bigint, offsetMinutes: number, zeros: number, separator: string): string {
  const { seconds, fraction } = split(nanoseconds);
  const local = new Date((seconds + offsetMinutes * 60) * 1000).toISOString().slice(0, 19).replace("T", separator);
  const digits = fraction.replace(/0+$/, "") + "0".repeat(zeros);
  const minutes = Math.abs(offsetMinutes);
  const offset = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");
  const zone = offsetMinutes === 0 ? "Z" : `${offsetMinutes < 0 ? "-" : "+"}${offset}`;
  return `${local}${digits && `.${digits}`}${zone}`;
}

function epochSeconds(nanoseconds: bigint): string {
  const { seconds, fraction } = split(nanoseconds);
  return `${seconds}.${fraction}`;
}

function epochMilliseconds(nanoseconds: bigint): string {
  return `${nanoseconds / 1_000_000n}.${String(nanoseconds % 1_000_000n).padStart(6, "0")}`;
}

const isoSpelling = fc
  .record({
    offset: fc.integer({ min: -1439, max: 1439 }),
    zeros: fc.nat(6),
    separator: fc.constantFrom("T", "t", " "),
  })
  .map(
    ({ offset, zeros, separator }) =>
      (nanoseconds: bigint) =>
        iso(nanoseconds, offset, zeros, separator),
  );

/** Between 1973 and 5138, seconds and milliseconds cannot be confused. */
const spelling = fc.oneof(isoSpelling, fc.constant(epochSeconds), fc.constant(epochMilliseconds));
const unambiguous = fc.bigInt({
  min: 100_000_000n * nanosecondsPerSecond,
  max: 99_999_999_999n * nanosecondsPerSecond,
});

function order<Value>(left: Value, right: Value): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Sums an instant up apart from the parser: by the days of the months, without a `Date`. Nanoseconds since 1970. */
function nanosecondsIn(text: string): bigint {
  const [year, month, day, hours, minutes, seconds] = (text.match(/\d+/g) ?? []).map(Number);
  const isLeap = (of: number) => (of % 4 === 0 && of % 100 !== 0) || of % 400 === 0;
  const daysOf = [31, isLeap(year ?? 0) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  let days = (day ?? 1) - 1;
  for (let past = 1970; past < (year ?? 0); past++) days += isLeap(past) ? 366 : 365;
  for (const monthDays of daysOf.slice(0, (month ?? 1) - 1)) days += monthDays;
  const [, sign, offsetHours, offsetMinutes] = /([+-])(\d\d):(\d\d)$/.exec(text) ?? [];
  const offset = (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * (sign === "-" ? -60 : 60);
  const fraction = (/\.(\d+)/.exec(text)?.[1] ?? "").padEnd(9, "0").slice(0, 9);
  const total = ((days * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0) - offset;
  return BigInt(total) * nanosecondsPerSecond + BigInt(fraction);
}

const isoTexts = fc.tuple(instants, isoSpelling).map(([instant, write]) => write(instant));
const strangers = fc.oneof(
  fc.constantFrom(..."0123456789TtZz :.,+-eE"),
  fc.constantFrom("60", "24", "29", "30", "\n"),
  anyText,
);

/** The invariants of `rankInstant`. */
export const instantProperties: readonly ParserProperty[] = [
  createProperty(
    "W13: instants are ordered like their nanoseconds, in any spelling",
    fc.tuple(unambiguous, unambiguous, spelling, spelling),
    ([left, right, write, writeOther]) => {
      assert.equal(order(rankInstant(write(left)), rankInstant(writeOther(right))), order(left, right));
      assert.equal(rankInstant(write(left)), rankInstant(writeOther(left)));
    },
  ),
  createProperty(
    "W13: instants are ordered that differ in the last digit, or across a second, a minute or a year",
    fc.tuple(
      instants,
      fc.bigInt({ min: -2n * nanosecondsPerSecond, max: 2n * nanosecondsPerSecond }),
      isoSpelling,
      isoSpelling,
    ),
    ([left, apart, write, writeOther]) => {
      const right = left + apart;
      assert.equal(order(rankInstant(write(left)), rankInstant(writeOther(right))), order(left, right));
    },
  ),
  createProperty("W13: the order agrees with a calendar of its own", fc.tuple(isoTexts, isoTexts), ([left, right]) => {
    const [first, second] = [nanosecondsIn(left), nanosecondsIn(right)];
    assert.equal(order(rankInstant(left), rankInstant(right)), order(first, second));
    assert.equal(millisecondsOf(rankInstant(left)), Number(first / 1_000_000n));
  }),
  createProperty(
    "any value has a rank of digits, or none",
    fc.oneof(fc.anything(), anyText, fc.double(), isoTexts, mutated(isoTexts, strangers)),
    (value) => {
      const rank = rankInstant(value);
      assert.match(rank, /^(\d{12}\.\d*)?$/);
      const isPlain =
        typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/.test(value);
      if (isPlain && rank !== "") assert.equal(millisecondsOf(rank), Date.parse(value));
    },
  ),
];
