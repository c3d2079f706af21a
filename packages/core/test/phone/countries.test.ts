import examples from "libphonenumber-js/examples.mobile.json";
import { getExampleNumber } from "libphonenumber-js/max";
import { describe, expect, test } from "vitest";
import { type AllowedCountries, allowPhone, parseTypedPhone } from "../../src/phone/allowed-numbers.ts";
import { parseE164 } from "../../src/phone/phone-number.ts";
import { isDoorcodeError } from "../../src/util/errors.ts";
import { countries as allCountries } from "../properties/phone-plans.ts";

/** Returns the country of an allowed number, or the code of its refusal. */
function countryOf(text: string, countries: AllowedCountries): string | undefined {
  try {
    return allowPhone(parseTypedPhone(text, undefined, countries), countries).country;
  } catch (error) {
    if (isDoorcodeError(error)) return error.code;
    throw error;
  }
}

describe("a calling code that several countries share", () => {
  test.each([
    ["+44", "GB", "+44 7400 123456", { GG: "+44 7781 123456", JE: "+44 7797 712345", IM: "+44 7624 123456" }],
    ["+1", "US", "+1 201 555 0123", { CA: "+1 506 234 5678", JM: "+1 876 210 1234", DO: "+1 809 234 5678" }],
    ["+7", "RU", "+7 912 345 6789", { KZ: "+7 771 000 9998" }],
    ["+39", "IT", "+39 06 12345678", { VA: "+39 06 698 12345" }],
    ["+61", "AU", "+61 2 1234 5678", { CX: "+61 8 9164 1234", CC: "+61 8 9162 1234" }],
    ["+590", "GP", "+590 590 201234", { BL: "+590 590 271234", MF: "+590 590 001234" }],
  ])("%s: a list of %s alone refuses the numbers of the others", (_code, main, own, others) => {
    expect(countryOf(own, [main])).toBe(main);
    for (const [country, number] of Object.entries<string>(others)) {
      expect(countryOf(number, [main])).toBe("country_not_allowed");
      expect(countryOf(number, [country])).toBe(country);
    }
  });

  test("a number of another country is refused as it is dialled inside, too", () => {
    expect(countryOf("07400 123456", ["GB"])).toBe("GB");
    expect(countryOf("07797 712345", ["GB"])).toBe("country_not_allowed");
    expect(countryOf("(876) 210-1234", ["US"])).toBe("country_not_allowed");
  });

  test.each([
    ["Vatican City", "VA", "+39 312 345 6789", "IT"],
    ["Christmas Island", "CX", "+61 412 345 678", "AU"],
    ["Western Sahara", "EH", "+212 650 123456", "MA"],
  ])(
    "mobile numbers of %s belong to the plan of another country, which the list has to name",
    (_place, own, number, main) => {
      expect(countryOf(number, [own])).toBe("country_not_allowed");
      expect(countryOf(number, [own, main])).toBe(main);
    },
  );
});

describe('"any"', () => {
  test("allows the numbers of every country", () => {
    const refused = allCountries.filter((country) => {
      const example = getExampleNumber(country, examples);
      return example === undefined || countryOf(example.number, "any") !== parseE164(example.number)?.country;
    });
    expect(refused).toEqual([]);
  });

  test.each(["+800 1234 5678", "+881 6 1234 5678", "+979 123 456 789"])(
    "refuses %s, which has no country",
    (number) => {
      expect(countryOf(number, "any")).toBe("country_not_allowed");
    },
  );

  test("needs a number with its country code, or a country", () => {
    expect(countryOf("01512 3456789", "any")).toBe("phone_invalid");
    expect(parseTypedPhone("01512 3456789", "DE", "any")?.e164).toBe("+4915123456789");
  });
});
