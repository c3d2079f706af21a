import { appCodes, serviceCodes } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { type LoginSetup, setUpLogin } from "../support/login-setup.ts";
import { openPlatforms, type Platform } from "../support/platforms.ts";

const { pairwise } = await openPlatforms();

const landline = "+4930123456";

/** The owner of the platform's codes, with these channels. */
function codesOver({ owner }: Platform, channels: readonly string[]) {
  return owner === "the app" ? appCodes({ channels }) : serviceCodes({ template: "login", channels });
}

function channelsOfNewest({ service }: LoginSetup): readonly string[] | undefined {
  return service.created.at(-1)?.channels.map(({ channel_name }) => channel_name);
}

describe.each(pairwise)("types of numbers on $name, codes of $owner", (platform) => {
  test("a start and a resend use only the channels that take the number", async () => {
    const login = await setUpLogin(platform, { codes: codesOver(platform, ["SMS", "VOICE"]) });
    const browser = await login.started({ phone: landline });
    expect(channelsOfNewest(login)).toEqual(["VOICE"]);
    await browser.post("/login/resend");
    expect(login.service.created).toHaveLength(2);
    expect(channelsOfNewest(login)).toEqual(["VOICE"]);

    const refused = [
      await login.open().post("/login/start", { phone: landline, channel: "SMS" }),
      await browser.post("/login/resend", { channel: "SMS" }),
    ];
    expect(refused.map(({ json }) => json.code)).toEqual(["channel_not_allowed", "channel_not_allowed"]);
    expect(login.service.created).toHaveLength(2);
  });
});
