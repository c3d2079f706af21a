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
