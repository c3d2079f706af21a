import fc from "fast-check";
import { expect, test } from "vitest";
import { millisecondsOf, rankInstant } from "../../src/webhooks/instant.ts";

test("the milliseconds of a rank are those of its instant", () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date("9998-12-31"), noInvalidDate: true }), (date) => {
      expect(millisecondsOf(rankInstant(date.toISOString()))).toBe(date.getTime());
    }),
  );
});

test.each([
  ["2026-09-21T14:13:05Z", 5000],
  ["2026-09-21T14:13:05.1Z", 5100],
  ["2026-09-21T14:13:05.1239Z", 5123],
  ["2026-09-21T14:13:05.000999999Z", 5000],
])("the milliseconds of %s are rounded down", (instant, afterTheMinute) => {
  expect(millisecondsOf(rankInstant(instant))).toBe(Date.parse("2026-09-21T14:13:00Z") + afterTheMinute);
});

test.each(["1970-01-01T00:00:00Z", 0])("the first instant that has a rank is %s", (instant) => {
  expect(rankInstant(instant)).toBe("000000000000.");
});

test("an instant of 64 characters has a rank, a longer one has none", () => {
  const instant = `1790000000.${"1".repeat(53)}`;
  expect([rankInstant(instant), rankInstant(`${instant}1`)]).toEqual([`00${instant}`, ""]);
});

test("a number is read as milliseconds from 1973 on", () => {
  expect(rankInstant(100_000_000_000)).toBe(rankInstant("1973-03-03T09:46:40Z"));
  expect(rankInstant(99_999_999_999)).toBe("099999999999.");
});
