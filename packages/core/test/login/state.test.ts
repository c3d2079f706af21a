import { describe, expect, test } from "vitest";
import { createOffer, describeDelivery } from "../../src/login/state.ts";
import { isCountry, parsePhoneNumber } from "../../src/phone/phone-number.ts";

/** The delivery after these words of the service: the status of the whole, and of each channel. */
function after(status: string | undefined, ...attempts: readonly [channel: string, status: string][]) {
  return describeDelivery({
    rank: "1",
    firstRank: "1",
    status,
    channel: attempts.at(-1)?.[0],
    attempts: attempts.map(([channel, word]) => ({ channel, status: word })),
  });
}

describe("the delivery that a page sees", () => {
  test.each([
    ["QUEUED", "sending"],
    ["BUFFERED", "sending"],
    ["SENT", "sent"],
    ["DELIVERED", "delivered"],
    ["READ", "delivered"],
    ["FAILED", "failed"],
    ["UNDELIVERED", "failed"],
    ["delivered", "delivered"],
    ["ABSENT_SUBSCRIBER", "unknown"],
    ["__proto__", "unknown"],
  ])("has for %s of the service the word %s", (word, status) => {
    expect(after("PENDING", ["SMS", word]).attempts).toEqual([{ channel: "SMS", status }]);
  });

  test.each([
    { status: "delivered", channel: "SMS", words: [["SMS", "DELIVERED"] as const, ["WHATSAPP", "FAILED"] as const] },
    { status: "sent", channel: "SMS", words: [["SMS", "SENT"] as const, ["WHATSAPP", "QUEUED"] as const] },
    { status: "sending", channel: "WHATSAPP", words: [["SMS", "FAILED"] as const, ["WHATSAPP", "QUEUED"] as const] },
    { status: "unknown", channel: "WHATSAPP", words: [["SMS", "FAILED"] as const, ["WHATSAPP", "ODD"] as const] },
  ])("is $status on $channel, which has come farthest", ({ status, channel, words }) => {
    expect(after("PENDING", ...words.map(([name, word]): [string, string] => [name, word]))).toMatchObject({
      status,
      channel,
    });
  });

  test("has failed when every channel has, unless the service says that it goes on", () => {
    expect(after("FAILED", ["SMS", "FAILED"], ["VOICE", "FAILED"])).toMatchObject({ status: "failed", channel: "SMS" });
    expect(after("odd", ["SMS", "FAILED"]).status).toBe("failed");
    expect(after("PENDING", ["SMS", "FAILED"]).status).toBe("sending");
  });

  test("has the status of the whole until an event names a channel, and then that of no other", () => {
    expect(after("PENDING")).toEqual({ status: "sending", attempts: [] });
    expect(after(undefined)).toEqual({ status: "unknown", attempts: [] });
    // A verification fails by wrong codes, too, after its code was delivered.
    expect(after("FAILED", ["SMS", "DELIVERED"]).status).toBe("delivered");
  });
});

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
