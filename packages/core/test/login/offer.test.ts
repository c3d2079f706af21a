import { describe, expect, test } from "vitest";
import { createOffer } from "../../src/login/state.ts";
import { isCountry, parsePhoneNumber } from "../../src/phone/phone-number.ts";

const codes = { digits: { min: 6, max: 6 } } as never;

describe("the offer of a login", () => {
  test('has every country for "any", each with a mobile number that the login takes', () => {
    const { countries } = createOffer({ countries: "any", codes });
    expect(countries.length).toBeGreaterThan(200);
    for (const { country, callingCode, example } of countries) {
      expect(isCountry(country)).toBe(true);
      const parsed = parsePhoneNumber(example, country);
      expect(parsed?.e164).toMatch(new RegExp(`^\\+${callingCode}`));
      expect(parsed?.type).toContain("MOBILE");
    }
  });
});
