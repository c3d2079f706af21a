import { describe, expect, test } from "vitest";
import {
  channelsFor,
  type NumberType,
  type NumberTypesByChannel,
  numberTypesShape,
  offeredChannels,
} from "../../src/phone/allowed-numbers.ts";
import { parseE164 } from "../../src/phone/phone-number.ts";
import { isDoorcodeError } from "../../src/util/errors.ts";

const offered = ["WHATSAPP", "SMS", "VOICE"];

/** Returns the channels that take a number, or the code of its refusal. */
function channelsOf(e164: string, chosen: NumberTypesByChannel = {}, wanted?: string): readonly string[] | string {
  const number = parseE164(e164);
  if (!number) throw new Error(`${e164} is not a number.`);
  try {
    return channelsFor(offeredChannels({ default: offered }, chosen), number, wanted);
  } catch (error) {
    if (isDoorcodeError(error)) return error.code;
    throw error;
  }
}

const mobile = "+4915123456789";
const landline = "+4930123456";
const voip = "+445612345678";
const tollFree = "+498001234567";
const mobileOrLandline = "+12025550123";
const everyType: readonly NumberType[] = ["MOBILE", "FIXED_LINE", "VOIP", "TOLL_FREE"];

describe("by default", () => {
  test.each([
    ["a mobile number", mobile, offered],
    ["a landline", landline, ["VOICE"]],
    ["a number of a plan that does not tell one from the other", mobileOrLandline, offered],
    ["a VoIP number", voip, "number_type_not_allowed"],
    ["a toll-free number", tollFree, "number_type_not_allowed"],
  ])("%s", (_type, number, channels) => {
    expect(channelsOf(number)).toEqual(channels);
  });
});

describe("listed types", () => {
  test("are mobile, landline, VoIP and toll-free numbers, and no others", () => {
    expect(numberTypesShape.safeParse({ SMS: everyType }).success).toBe(true);
    for (const type of ["PREMIUM_RATE", "FIXED_LINE_OR_MOBILE", ""]) {
      expect(numberTypesShape.safeParse({ SMS: [type] }).success).toBe(false);
    }
  });

  test.each([
    [["VOIP"], voip],
    [["TOLL_FREE"], tollFree],
    [["FIXED_LINE"], landline],
    [["FIXED_LINE"], mobileOrLandline],
    [["MOBILE"], mobileOrLandline],
  ] as const)("%s take %s on their channel", (types, number) => {
    const channels = channelsOf(number, { WHATSAPP: ["TOLL_FREE"], SMS: types, VOICE: ["TOLL_FREE"] });
    expect(channels).toEqual(number === tollFree ? offered : ["SMS"]);
  });

  test("VoIP alone does not take a number that may be a mobile phone", () => {
    const chosen: NumberTypesByChannel = { WHATSAPP: ["VOIP"], SMS: ["VOIP"], VOICE: ["VOIP"] };
    expect(channelsOf(mobileOrLandline, chosen)).toBe("number_type_not_allowed");
  });

  test("leave the defaults of the other channels", () => {
    expect(channelsOf(landline, { SMS: ["MOBILE", "FIXED_LINE"] })).toEqual(["SMS", "VOICE"]);
  });

  test.each([
    ["PREMIUM_RATE", "+499001234567"],
    ["SHARED_COST", "+491801123456"],
    ["PAGER", "+4916412345"],
    ["VOICEMAIL", "+49177991234567"],
    ["PERSONAL_NUMBER", "+4970012345678"],
    ["UAN", "+4918500123456"],
  ])("never take %s numbers", (type, number) => {
    expect(parseE164(number)?.type).toBe(type);
    expect(channelsOf(number, { WHATSAPP: everyType, SMS: everyType, VOICE: everyType })).toBe(
      "number_type_not_allowed",
    );
  });
});

test("L16: a voice-mail box gets no call, also if its type is mobile", () => {
  const boxes = ["+436647712345", "+43664771234567", "+43680771234567", "+43676221234567", "+43650111234567"];
  for (const box of [...boxes, "+43660331234567"]) {
    expect(channelsOf(box)).toEqual(["WHATSAPP", "SMS"]);
    expect(channelsOf(box, {}, "VOICE")).toBe("channel_not_allowed");
    expect(channelsOf(box, { WHATSAPP: ["VOIP"], SMS: ["VOIP"] })).toBe("number_type_not_allowed");
  }
  // A phone of the same network, and one whose own number begins as that of a box.
  for (const person of ["+436641234567", "+436762212345"]) expect(channelsOf(person)).toEqual(offered);
});

describe("the wanted channel", () => {
  test("comes first, and the others stay as fallbacks", () => {
    expect(channelsOf(mobile, {}, "SMS")).toEqual(["SMS", "WHATSAPP", "VOICE"]);
  });

  test.each([
    ["does not take the number", "SMS"],
    ["is not offered", "TELEGRAM"],
  ])("is refused if it %s", (_reason, wanted) => {
    expect(channelsOf(landline, {}, wanted)).toBe("channel_not_allowed");
  });
});
