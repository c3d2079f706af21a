import { appCodes, createDoorcode, providerCodes, serviceCodes } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { type Host, hosts } from "../support/hosts.ts";
import { type LoginSetupOptions, setUpLogin } from "../support/login-setup.ts";

const [host] = hosts as readonly [Host];
const american = "+12015550123";
const brazilian = "+5511961234567";
const indian = "+918123456789";
const countries = ["US", "BR", "IN"] as const;

const setUp = (codes: NonNullable<LoginSetupOptions["codes"]>) => setUpLogin(host, { codes, login: { countries } });

describe("by the country of the number", () => {
  test("the channels are tried, shown to the page, and taken from it", async () => {
    const login = await setUp(
      serviceCodes({ template: "login", channels: { default: ["SMS"], BR: ["WHATSAPP", "SMS"] } }),
    );
    const shown = [];
    for (const phone of [american, brazilian]) {
      const browser = await login.started({ phone });
      shown.push((await browser.get("/login/state")).json.channels);
    }
    const refused = await login.open().post("/login/start", { phone: indian, channel: "WHATSAPP" });

    expect(shown).toEqual([["SMS"], ["WHATSAPP", "SMS"]]);
    expect(login.service.created.map(({ channels }) => channels.map((entry) => entry.channel_name))).toEqual(shown);
    expect(refused.json.code).toBe("channel_not_allowed");
  });

  test.each([
    ["the service", serviceCodes({ template: { default: "login", IN: { name: "login_in", variables: { a: "b" } } } })],
    ["the app", appCodes({ template: { default: "login", IN: { name: "login_in", variables: { a: "b" } } } })],
  ])("the template of codes of %s is chosen", async (_owner, codes) => {
    const login = await setUp(codes);
    for (const phone of [american, indian]) await login.started({ phone });
    expect(login.service.created).toMatchObject([
      { template: { name: "login", variables: {} } },
      { template: { name: "login_in", variables: { a: "b" } } },
    ]);
  });

  test("the sender and the text of the app are chosen, and a text to the letter has no line of the host", async () => {
    const registered = "{code} is your OTP for Example -EXMPLE";
    const login = await setUp(
      appCodes({
        sender: { default: "+18005550123", BR: "Example", IN: "EXMPLE" },
        text: { default: { en: "Your code is {code}." }, IN: { en: registered } },
        hostLine: { default: true, IN: false },
      }),
    );
    const sent = [];
    for (const phone of [american, brazilian, indian]) {
      const browser = await login.started({ phone });
      const { sender, text = "", custom_otp } = login.service.created.at(-1) ?? {};
      const code = custom_otp ?? /^\d+/.exec(text)?.[0] ?? "";
      sent.push([sender, text.replaceAll(code, "271828")]);
      expect((await browser.post("/login/confirm", { code })).status).toBe(200);
    }

    const bound = "Your code is 271828.\n\n@localhost #271828";
    expect(sent).toEqual([
      ["+18005550123", bound],
      ["Example", bound],
      ["EXMPLE", "271828 is your OTP for Example -EXMPLE"],
    ]);
  });

  test("the channels of another provider are chosen", async () => {
    const asked: (readonly string[])[] = [];
    const login = await setUp(
      providerCodes({
        channels: { default: ["SMS"], IN: ["VOICE"] },
        send: ({ phone, channels }) => {
          asked.push(channels);
          return { id: phone };
        },
        check: () => true,
      }),
    );
    await login.started({ phone: american });
    await login.started({ phone: indian });
    expect(asked).toEqual([["SMS"], ["VOICE"]]);
  });
});

describe("L27: a table is checked at start, for every country", () => {
  const create = (codes: () => ReturnType<typeof appCodes>) => () =>
    createDoorcode({
      service: { baseUrl: "https://service.example", apiKey: "key_123" },
      session: { password: "p".repeat(32) },
      login: { countries: ["US", "IN"], codes: codes(), onLogin: () => "user_1" },
    });
  const text = { default: { en: "Your code is {code}." }, IN: { en: "OTP {code} -EXMPLE" } };

  test.each<[RegExp, () => ReturnType<typeof appCodes>]>([
    [
      /serviceCodes: channels\.BR: login\.countries does not have it: add it there, or leave it out here/,
      () => serviceCodes({ template: "login", channels: { default: ["SMS"], BR: ["WHATSAPP"] } }),
    ],
    [/serviceCodes: template\.BR: login\.countries/, () => serviceCodes({ template: { default: "a", BR: "b" } })],
    [
      /providerCodes: channels\.BR: login\.countries/,
      () => providerCodes({ channels: { default: ["SMS"], BR: ["SMS"] }, send: () => "refused", check: () => false }),
    ],
    [/appCodes: sender\.BR: login\.countries/, () => appCodes({ sender: { default: "Example", BR: "Example" } })],
    [/appCodes: hostLine\.BR: login/, () => appCodes({ sender: "Example", hostLine: { default: true, BR: false } })],
    [
      /serviceCodes: channels: .*a table such as/,
      () => serviceCodes({ template: "login", channels: { US: ["SMS"] } as never }),
    ],
    [
      /serviceCodes: channels\.IN\.0: expected names of channels/,
      () => serviceCodes({ template: "login", channels: { default: ["SMS"], IN: ["sms"] } }),
    ],
    [
      /appCodes: sender\.Indien: expected an ISO 3166 code/,
      () => appCodes({ sender: { default: "Example", Indien: "E" } as never }),
    ],
    [/appCodes: hostLine: add the sender/, () => appCodes({ hostLine: false } as never)],
    [/appCodes: text\.IN\.en\.login: .*full stop after it/, () => appCodes({ sender: "Example", text })],
    [
      /appCodes: text\.IN\.en\.login: .*at most 160 characters with a code of 10 digits: shorten it by 5/,
      () =>
        appCodes({
          sender: "Example",
          text: { ...text, IN: { en: `{code}${"x".repeat(155)}` } },
          hostLine: { default: true, IN: false },
        }),
    ],
    [
      /appCodes: text\.IN\.en\.login: .*at most 70 characters, because it has letters that GSM-7 lacks.*by 5/,
      () =>
        appCodes({
          sender: "Example",
          text: { ...text, IN: { en: `{code}${"\u0905".repeat(65)}` } },
          hostLine: { default: true, IN: false },
        }),
    ],
  ])("with the message %s", (message, codes) => {
    expect(create(codes)).toThrow(TypeError);
    expect(create(codes)).toThrow(message);
  });

  test("a text to the letter may have what a text with the line of the host may not", () => {
    const letter = "{code}: ओटीपी\nExample";
    const hostLine = { default: true, IN: false };
    expect(
      create(() => appCodes({ sender: "Example", text: { ...text, IN: { en: letter } }, hostLine })),
    ).not.toThrow();
    expect(create(() => appCodes({ sender: "Example", text: { en: letter }, hostLine: false }))).not.toThrow();
  });

  test("a login for every country takes a table with any country", () => {
    const codes = serviceCodes({ template: { default: "login", BR: "login_br" } });
    const options = {
      service: { baseUrl: "https://service.example", apiKey: "key_123" },
      session: { password: "p".repeat(32) },
    };
    expect(() => createDoorcode({ ...options, login: { countries: "any", codes, onLogin: () => "u" } })).not.toThrow();
  });
});
