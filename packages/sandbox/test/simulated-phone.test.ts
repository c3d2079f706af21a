import { parseE164 } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { behaviourOf, behaviourRanges } from "../src/service/simulated-phone.ts";
import { type Behaviour, behaviours } from "../src/state/application.ts";

describe("the fixed ranges", () => {
  test("exist once for each behaviour in each of five countries", () => {
    const byCountry = Map.groupBy(behaviourRanges, ({ country }) => country);
    expect([...byCountry.keys()]).toEqual(["DE", "GB", "FR", "US", "SE"]);
    for (const ranges of byCountry.values()) expect(ranges.map(({ behaviour }) => behaviour)).toEqual(behaviours);
  });

  // The ranges that the regulators publish, written a second time.
  const reserved: Readonly<Record<string, readonly [first: string, last: string]>> = {
    DE: ["+491713920000", "+491713920099"],
    GB: ["+441134960000", "+441134960999"],
    FR: ["+33199000000", "+33199009999"],
    US: ["+13075550100", "+13075550199"],
    SE: ["+46701740605", "+46701740699"],
  };

  test.each(behaviourRanges)(
    "$prefix… has ten valid numbers of $country, reserved for fiction, with $behaviour",
    (range) => {
      const [first, last] = reserved[range.country] ?? [];
      for (const digit of "0123456789") {
        const to = `${range.prefix}${digit}`;
        expect(parseE164(to)).toMatchObject({ e164: to, country: range.country });
        expect(behaviourOf(to, {})).toBe(range.behaviour);
        expect(to).toHaveLength(first?.length ?? 0);
        expect(Number(to)).toBeGreaterThanOrEqual(Number(first));
        expect(Number(to)).toBeLessThanOrEqual(Number(last));
      }
    },
  );

  test.each([
    ["before the first", "+491713920009"],
    ["after the last", "+491713920070"],
    ["a digit too long", "+4917139200100"],
    ["a digit too short", "+49171392001"],
    ["a common example", "+12025550123"],
    ["an ordinary number", "+4915112345678"],
    ["an empty text", ""],
  ])("do not include %s", (_, to) => {
    expect(behaviourOf(to, {})).toBeUndefined();
  });
});

test.each<[string, string, Record<string, Behaviour>, Behaviour | undefined]>([
  ["a number", "+4915112345678", { "+4915112345678": "slow" }, "slow"],
  ["only that number", "+4915112345679", { "+4915112345678": "slow" }, undefined],
  ["a country", "+4915112345678", { DE: "slow" }, "slow"],
  ["only that country", "+436601234567", { DE: "slow" }, undefined],
  ["the country, not the calling code", "+12045551234", { US: "slow", CA: "only_voice" }, "only_voice"],
  ["no country for an invalid number", "+4917", { DE: "slow" }, undefined],
  ["the number before the country", "+4915112345678", { DE: "slow", "+4915112345678": "sms_fails" }, "sms_fails"],
  ["the number before the range", "+491713920010", { "+491713920010": "slow" }, "slow"],
  ["the range before the country", "+491713920010", { DE: "slow" }, "sms_fails"],
])("the application's own rules decide by %s", (_, to, own, behaviour) => {
  expect(behaviourOf(to, own)).toBe(behaviour);
});
