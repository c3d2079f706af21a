import examples from "libphonenumber-js/examples.mobile.json";
import { type CountryCode, getExampleNumber } from "libphonenumber-js/max";
import { describe, expect, test } from "vitest";
import { parseE164, parsePhoneNumber } from "../../src/phone/phone-number.ts";
import { countries } from "../properties/phone-plans.ts";

const e164Of = (text: string, country?: string) => parsePhoneNumber(text, country)?.e164;

describe("an ambiguous number", () => {
  test.each([
    ["4915123456789", "DE", "a mobile number without its plus, or a landline in the area 04915"],
    ["49 1512 3456789", "DE", "the same with gaps"],
    ["+49 49 15123456789", undefined, "the country code twice, or that landline"],
    ["+49 (0)49 15123456789", "DE", "the same after a trunk prefix"],
    ["+49 0049 15123456789", "DE", "the country code as +49 and as 0049"],
    ["38343201234", "XK", "a mobile number in Kosovo, or another one that begins with 383"],
    ["0016582345678", "HK", "001 to Singapore, or 00 to Jamaica"],
    ["+39 39 39841000", "IT", "the country code three times, or a mobile number"],
    ["0059700597578001", "TW", "the code of Suriname as 00597 twice, or 005 to India"],
    ["+39 (0) 4310383116", "IT", "a mobile number after a zero, or a landline in the area 0431"],
  ])("L28: %s in %s is refused: %s", (text, country, _reason) => {
    expect(parsePhoneNumber(text, country)).toBeUndefined();
  });

  test("L28: a country code that stands there twice is not removed, even if the whole is not valid", () => {
    expect(e164Of("+33 33 612345678", "FR")).toBeUndefined();
    expect(e164Of("+49 4920600000000", "DE")).toBeUndefined();
  });

  test("L28: E.164 of a program is not ambiguous", () => {
    expect(parseE164("+494915123456789")).toEqual({ e164: "+494915123456789", country: "DE", type: "FIXED_LINE" });
  });
});

describe("an unambiguous number", () => {
  test.each([
    ["+49 1512 3456789", undefined, "+4915123456789"],
    ["+49 (0)1512 / 345-6789", undefined, "+4915123456789"],
    ["tel:+49-1512-3456789", undefined, "+4915123456789"],
    ["04915 123456789", "DE", "+494915123456789"],
    ["\u2066+\u200e٤٩ ۱۵۱۲\u00a0３４５６７８９\u2069", "DE", "+4915123456789"],
    ["33612345678", "FR", "+33612345678"],
    ["011 33 6 12 34 56 78", "US", "+33612345678"],
    ["0033 6 12 34 56 78", "US", "+33612345678"],
    ["8~10 49 1512 3456789", "RU", "+4915123456789"],
    ["+39 (0)6 69812345", "IT", "+390669812345"],
    ["712345", "GG", "+441481712345"],
  ])("L28: %s in %s is %s", (text, country, e164) => {
    expect(e164Of(text, country)).toBe(e164);
  });

  test("L28: every country's example is read as itself with +, with 00 and as it is dialled inside", () => {
    const refused = countries.flatMap((country: CountryCode) => {
      const example = getExampleNumber(country, examples);
      if (!example) return [country];
      const spellings = [
        example.number,
        example.formatInternational(),
        `00${example.number.slice(1)}`,
        example.formatNational(),
      ];
      return spellings.filter((text) => e164Of(text, country) !== example.number).map((text) => `${country} ${text}`);
    });
    expect(refused).toEqual([]);
  });
});

describe("L28: a number is found in a text", () => {
  test.each([
    ["Meine Nummer: 0151 23456789", "DE"],
    ["Mein Handy ist die 0151/23456789, danke!", "DE"],
    ["Il mio numero è +49 151 23456789.", "IT"],
    ["رقمي (الجوال): ٠٠٤٩ ١٥١ ٢٣٤٥٦٧٨٩", "EG"],
    ["M: +49 (0)151 23456789 ", undefined],
    ["0151 23456789 ext 3", "DE"],
    ["0151 23456789 (Durchwahl: 12)", "DE"],
    ["tel:+49-151-23456789;ext=7", "DE"],
  ])("%j in %s", (text, country) => {
    expect(e164Of(text, country)).toBe("+4915123456789");
  });

  test.each([
    ["0151 23456789 oder 0160 1234567", "two numbers"],
    ["Ruf mich ab 8 Uhr an: 0151 23456789", "another digit"],
    ["0151 23456789 oder 5", "another last digit"],
    ["0160 123456O", "a letter that may be a digit"],
    ["0160 1234567 O", "the same behind a gap"],
    ["O 151 23456789", "the same in front"],
    ["Nr0151 23456789", "a letter at the number"],
    ["0151 2345678-privat", "the same behind the number"],
    ["*31#0151 23456789", "a code of the network"],
    ["0151 23456789@example.com", "an address"],
    ["030 123456 ext 3", "an extension of a landline: the code would go to a switchboard"],
    ["4915123456789 bitte", "an ambiguous number"],
  ])("%j is refused: %s", (text, _reason) => {
    expect(parsePhoneNumber(text, "DE")).toBeUndefined();
  });

  test("an extension of a number that may be a landline is refused", () => {
    expect([e164Of("(212) 555-0123", "US"), e164Of("(212) 555-0123 ext. 3", "US")]).toEqual([
      "+12125550123",
      undefined,
    ]);
  });
});

describe("a text that is no number", () => {
  test.each([
    ["", "DE"],
    ["+", "DE"],
    ["0049", "DE"],
    ["01512 3456789", undefined],
    ["01512 3456789", "XX"],
    ["tel:1512-3456789;phone-context=+49", "DE"],
    ["+49 1512 3456789 +49 1512 3456780", "DE"],
    ["+49 1512 345678O", "DE"],
    ["+४९१५१२३४५६७८९", "DE"],
    [`+49 1512 3456789${" ".repeat(200)}`, "DE"],
  ])("is refused: %j in %s", (text, country) => {
    expect(parsePhoneNumber(text, country)).toBeUndefined();
  });

  test.each([
    "+49 15123456789",
    "004915123456789",
    "4915123456789",
    "+49015123456789",
    "+3361234567",
    "+49",
    "",
    "+49151234567890123",
  ])("is no E.164: %j", (text) => {
    expect(parseE164(text)).toBeUndefined();
  });
});
