import { describe, expect, test } from "vitest";
import { millisecondsOf, rankInstant } from "../../src/webhooks/event.ts";

describe("rankInstant", () => {
  test.each([
    ["a fraction is later than none", "2026-09-21T14:13:05Z", "2026-09-21T14:13:05.1Z"],
    ["microseconds count", "2026-09-21T14:13:05.123456Z", "2026-09-21T14:13:05.123457Z"],
    ["digits beyond nanoseconds count", "2026-09-21T14:13:05.0000000001Z", "2026-09-21T14:13:05.0000000002Z"],
    ["offsets compare", "2026-09-21T16:13:04+02:00", "2026-09-21T14:13:05Z"],
    ["an offset passes midnight", "2027-01-01T00:30:00+01:00", "2026-12-31T23:30:01Z"],
    ["9 is before 10", 9, 10],
    ["a leap second is after the one before it", "2016-12-31T23:59:59.9Z", "2016-12-31T23:59:60Z"],
  ])("ranks by value: %s", (_name, earlier, later) => {
    expect(rankInstant(earlier) < rankInstant(later)).toBe(true);
  });

  test.each([
    ["2026-09-21T14:13:05Z", "2026-09-21T14:13:05.000Z"],
    ["2026-09-21T14:13:05Z", "2026-09-21T14:13:05"],
    ["2026-09-21T14:13:05Z", "2026-09-21T16:13:05+0200"],
    ["2026-09-21T14:13:05Z", "2026-09-21 16:13:05+02"],
    ["2026-09-21T14:13:05.5Z", "2026-09-21T14:13:05,5z"],
    ["2026-09-21T14:13:00Z", "2026-09-21T14:13Z"],
    ["2024-02-29T00:00:00Z", 1_709_164_800],
  ])("ranks %s and %s equally", (left, right) => {
    expect(rankInstant(left)).toBe(rankInstant(right));
    expect(rankInstant(left)).not.toBe("");
  });

  test.each([
    "",
    "now",
    "x2026-09-21T14:13:05Z",
    "2026-09-21T14:13:05Zx",
    "2026-02-29T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-05-00T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-09-21T24:00:00Z",
    "2026-09-21T14:60:00Z",
    "2026-09-21",
    "2026-09-21T14:13:05+25:00",
    "1969-12-31T23:59:59Z",
    "1970-01-01T00:00:00+00:01",
    "0070-01-01T00:00:00Z",
    "-1",
    "1e9",
    "0x10",
    " 1790000000",
    "1790000000 ",
    `1790000000.${"1".repeat(60)}`,
    "1790000000123456",
    -1,
    1e21,
    1e-9,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    null,
    undefined,
    true,
    [1_790_000_000],
    { seconds: 1_790_000_000 },
  ])("returns an empty rank for %j", (value) => {
    expect(rankInstant(value)).toBe("");
  });
});

describe("millisecondsOf", () => {
  test.each([
    ["2026-09-21T14:13:05Z", 5000],
    ["2026-09-21T14:13:05.1Z", 5100],
    ["2026-09-21T14:13:05.1239Z", 5123],
    ["2026-09-21T14:13:05.000999999Z", 5000],
  ])("rounds %s down", (instant, afterTheMinute) => {
    expect(millisecondsOf(rankInstant(instant))).toBe(Date.parse("2026-09-21T14:13:00Z") + afterTheMinute);
  });
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
