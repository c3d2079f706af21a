import { inspect } from "node:util";
import {
  appCodes,
  createDoorcode,
  createWebhookVerifier,
  type LoginOptions,
  providerCodes,
  serviceCodes,
} from "@doorcode/core";
import { createLoginGuard, mountLogin, mountWebhooks } from "@doorcode/core/adapter";
import { createServiceClient } from "@doorcode/core/service";
import { createManualClock } from "@doorcode/core/testing";
import { createPostgresStore } from "@doorcode/postgres";
import { createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { Pool } from "pg";
import { afterEach, describe, expect, test, vi } from "vitest";

const password = "p".repeat(32);
const service = { baseUrl: "https://service.example", apiKey: "key_123" };
const login: LoginOptions = { countries: ["DE"], codes: serviceCodes({ template: "login" }), onLogin: () => "user_1" };
const complete = { service, login, session: { password }, webhooks: { secret: "whsec_1234" } };

afterEach(() => void vi.unstubAllEnvs());

const withTestNumbers = {
  ...complete,
  clock: createManualClock(Date.UTC(2026, 8, 21)),
  login: { ...login, testNumbers: { numbers: { "+4915100000007": "271828" }, until: "2027-01-31" } },
};

const withPrices = { ...complete, login: { ...login, limits: { prices: { other: 0.1 } } } };

/** Values of every type, none of which is right for any option that takes more than one of them. */
const wrongValues: readonly unknown[] = [null, true, 7.5, "no such value", [{}], { "no such option": 7 }, () => 7];

/** The options that a function takes, as its own error lists them. */
function namesOf(create: (options: object) => unknown): readonly string[] {
  const message = messageOf(() => create({ "no such option": 7 })) ?? "";
  return message.match(/the options are (.*)\./i)?.[1]?.split(", ") ?? [];
}

/** The answers to each wrong value of each option of a function, below `path`. */
function answersOf(create: (options: never) => unknown, base: object, path: readonly string[]) {
  return namesOf((options) => create(withOption(base, path, options) as never)).flatMap((name) =>
    wrongValues.flatMap((value) => {
      const option = [...path, name];
      const message = messageOf(() => create(withOption(base, option, value) as never));
      return message === undefined ? [] : [{ option: option.join("."), message }];
    }),
  );
}

function messageOf(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns a copy of the options with one of them changed, however deep it stands. */
function withOption(options: object, [name, ...rest]: readonly string[], value: unknown): object {
  if (name === undefined) return { ...options, ...(value as object) };
  const inner = (options as Readonly<Record<string, object | undefined>>)[name] ?? {};
  return { ...options, [name]: rest.length === 0 ? mergedWith(inner, value) : withOption(inner, rest, value) };
}

/** An unknown option is added to the others; any other value stands in place of them. */
function mergedWith(inner: object, value: unknown): unknown {
  const adds = typeof value === "object" && value !== null && !Array.isArray(value);
  return adds ? { ...inner, ...value } : value;
}

/** Tells whether a message begins with the option as the developer wrote it, or with a part of it. */
function namesPath(message: string, place: string, option: string): boolean {
  return message.startsWith(`${place}: ${option}`) && /^[:. ]/.test(message.slice(`${place}: ${option}`.length));
}

describe("L27: createDoorcode rejects a wrong option, and names the option and the fix", () => {
  test.each<[string, unknown, RegExp]>([
    [
      "an unknown country",
      { ...complete, login: { ...login, countries: ["DE", "Germany"] } },
      /login\.countries\.1.*"DE"/,
    ],
    [
      "a country by another code",
      { ...complete, login: { ...login, countries: ["UK"] } },
      /login\.countries\.0: .*"GB"/,
    ],
    ["no country", { ...complete, login: { ...login, countries: [] } }, /login\.countries: expected at least one/],
    ["any among countries", { ...complete, login: { ...login, countries: ["DE", "any"] } }, /login\.countries\.1/],
    [
      "number types of a channel that is not offered",
      { ...complete, login: { ...login, numberTypes: { VOICE: ["MOBILE"] } } },
      /login\.numberTypes\.VOICE: .*its channels are SMS/,
    ],
    [
      "premium numbers",
      { ...complete, login: { ...login, numberTypes: { SMS: ["MOBILE", "PREMIUM_RATE"] } } },
      /login\.numberTypes\.SMS\.1: expected "MOBILE"/,
    ],
    [
      "a channel without types",
      { ...complete, login: { ...login, numberTypes: { SMS: [] } } },
      /login\.numberTypes\.SMS: .*leave it out/,
    ],
    [
      "suppresses without the function that could suppress",
      { ...complete, login: { ...login, suppresses: false } },
      /login\.suppresses: .*beforeSend.*leave the option out/,
    ],
    [
      "a ceiling of costs without a price of each country",
      {
        ...complete,
        login: { ...login, countries: ["DE", "AT"], limits: { costPerDay: 10, prices: { DE: 0.08 } } },
      },
      /login\.limits\.prices: .*for AT, such as \{ AT: 0\.08 \}/,
    ],
    [
      "a ceiling of costs for any country without the price of others",
      { ...complete, login: { ...login, countries: "any", limits: { costPerDay: 10, prices: { DE: 0.08 } } } },
      /login\.limits\.prices: .*for other/,
    ],
    [
      "the price of something that is no country",
      { ...complete, login: { ...login, limits: { prices: { Germany: 0.08 } } } },
      /login\.limits\.prices\.Germany: .*or "other"/,
    ],
    [
      "a cost below zero",
      { ...complete, login: { ...login, limits: { costPerDay: -1, prices: { DE: 0.08 } } } },
      /login\.limits\.costPerDay: expected a cost from 0 to 1000000000, such as 50/,
    ],
    ["no codes", { ...complete, login: { ...login, codes: undefined } }, /login\.codes: expected serviceCodes/],
    ["a short password", { ...complete, session: { password: "short" } }, /session\.password.*SESSION_PASSWORD.*32/],
    [
      "a strategy for codes that was not called",
      { ...complete, login: { ...login, codes: appCodes } },
      /login\.codes: call it/,
    ],
    [
      "too many passwords",
      { ...complete, session: { password: Array(5).fill(password) } },
      /session\.password lists more than 4/,
    ],
    [
      "the secrets of several applications",
      { ...complete, webhooks: { secret: ["of_one_application", "of_another_one", "of_a_third_one"] } },
      /webhooks\.secret lists more than 2.*a separate kit/,
    ],
    ["a missing secret", { ...complete, webhooks: { secret: undefined } }, /webhooks\.secret.*WEBHOOK_SECRET/],
    ["a login without a service", { ...complete, service: undefined }, /login needs service/],
    [
      "a lifetime of 0",
      { ...complete, session: { password, lifetimeSeconds: 0 } },
      /session\.lifetimeSeconds.*from 60/,
    ],
    [
      "too many attempts",
      { ...complete, login: { ...login, limits: { attemptsPerTransaction: 99 } } },
      /limits\.attemptsPerTransaction/,
    ],
    [
      "no wrong code from any address",
      { ...complete, login: { ...login, limits: { failuresPerAddressPerDay: 0 } } },
      /limits\.failuresPerAddressPerDay.*from 1/,
    ],
    [
      "a silence longer than the kit remembers",
      { ...complete, login: { ...login, suspicionAfterSeconds: 34_560_001 } },
      /login\.suspicionAfterSeconds.*34560000/,
    ],
    [
      "an origin with a path",
      { ...complete, origins: ["https://app.example.com/login"] },
      /origins\.0.*without a path/,
    ],
    [
      "http and https together",
      { ...complete, origins: ["https://app.example.com", "http://localhost:3000"] },
      /origins.*all https/,
    ],
    ["no origin of a website", { ...complete, origins: ["capacitor://localhost"] }, /origins has no website/],
    ["an origin of a file", { ...complete, origins: ["https://app.example.com", "file://localhost"] }, /origins\.1/],
    ["a script as an origin", { ...complete, origins: ["https://app.example.com", "javascript://x"] }, /origins\.1/],
    [
      "an origin of an app with a path",
      { ...complete, origins: ["https://a.example", "ionic://localhost/"] },
      /origins\.1/,
    ],
    [
      "webhooks of more than half of what all bodies may take",
      { ...complete, webhooks: { secret: "whsec_1234", limitBytes: 8_388_609 } },
      /webhooks\.limitBytes: expected.*8388608/,
    ],
    ["a name with spaces", { ...complete, name: "my app" }, /name: expected/],
  ])("%s", (_what, options, message) => {
    const call = () => createDoorcode(options as Parameters<typeof createDoorcode>[0]);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
  });

  test("in production, missing origins and http origins are rejected", () => {
    vi.stubEnv("NODE_ENV", "production");
    expect(() => createDoorcode(complete)).toThrow(/origins is missing, and NODE_ENV=production.*unset NODE_ENV/);
    expect(() => createDoorcode({ ...complete, origins: ["http://localhost:3000"] })).toThrow(
      /origins has http, which NODE_ENV=production.*SERVICE_URL.*unset NODE_ENV/,
    );
    expect(() => createDoorcode({ ...complete, origins: "private-network" })).toThrow(/origins is for development/);
    expect(() => createDoorcode({ ...complete, origins: ["https://app.example.com"] })).not.toThrow();
    const ofApps = ["https://app.example.com", "https://localhost", "capacitor://localhost", "com.example.app://local"];
    expect(() => createDoorcode({ ...complete, origins: ofApps })).not.toThrow();
    expect(() => createDoorcode({ webhooks: { secret: "whsec_1234" } })).not.toThrow();
    expect(() => createDoorcode({ webhooks: { secret: "sandbox-webhook-secret" } })).toThrow(
      /webhooks\.secret is the sandbox's/,
    );
  });

  test("in production, http origins of this machine are accepted beside a service on this machine", () => {
    vi.stubEnv("NODE_ENV", "production");
    const service = { baseUrl: "http://localhost:4010/v1", apiKey: "sandbox-api-key" };
    const create = (origin: string) => createDoorcode({ ...complete, service, origins: [origin] });
    expect(() => create("http://localhost:3000")).not.toThrow();
    expect(() => create("http://192.168.1.20:3000")).toThrow(/all http on this machine/);
  });

  test("all values of the environment that are missing are named together, with their variables", () => {
    const options = { ...complete, service: { baseUrl: undefined, apiKey: "" }, webhooks: { secret: undefined } };
    expect(() => createDoorcode(options)).toThrow(
      "createDoorcode: service.baseUrl, service.apiKey, and webhooks.secret are missing: set SERVICE_URL, SERVICE_API_KEY, and " +
        "WEBHOOK_SECRET. If a .env file has them, load it, such as by `node --env-file=.env app.js`.",
    );
    expect(() => createDoorcode({ ...complete, session: { password: undefined }, webhooks: { secret: "" } })).toThrow(
      /session\.password and webhooks\.secret are missing/,
    );
  });

  test("a wrong URL is shown, unless it may hold a secret", () => {
    const create = (baseUrl: string) => () =>
      createDoorcode({ ...complete, service: { baseUrl, apiKey: "a-key-of-the-app" } });
    expect(create("localhost:4010")).toThrow(/service\.baseUrl: .* It is "localhost:4010"\./);
    for (const url of [
      "https://me:secret@api.example",
      "https://api.example?key=secret",
      "https://api.example#secret",
    ]) {
      expect(create(url)).toThrow(/set SERVICE_URL\.$/);
    }
    expect(() => createDoorcode({ ...complete, origins: ["https://app.example.com/login"] })).toThrow(
      /origins\.0: .* but this is "https:\/\/app\.example\.com\/login"/,
    );
  });

  test.each([
    { of: "createDoorcode", base: complete, path: [] },
    { of: "service", base: complete, path: ["service"] },
    { of: "login", base: complete, path: ["login"] },
    { of: "login.limits", base: withPrices, path: ["login", "limits"] },
    { of: "login.limits.mode", base: complete, path: ["login", "limits", "mode"] },
    { of: "login.testNumbers", base: withTestNumbers, path: ["login", "testNumbers"] },
    { of: "session", base: complete, path: ["session"] },
    { of: "webhooks", base: complete, path: ["webhooks"] },
    { of: "webhooks.on", base: complete, path: ["webhooks", "on"] },
  ])("each wrong value of each option of $of is answered with its path and what was expected", ({ base, path }) => {
    const answers = answersOf(createDoorcode, base, path);
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.filter(({ option, message }) => !namesPath(message, "createDoorcode", option))).toEqual([]);
    expect(answers.filter(({ message }) => /invalid|received/i.test(message))).toEqual([]);
  });

  test.each<[string, object, (options: never) => unknown]>([
    ["serviceCodes", { template: "login" }, serviceCodes],
    ["appCodes", {}, appCodes],
    ["providerCodes", { send: () => ({ id: "1" }), check: () => true }, providerCodes],
    ["createServiceClient", service, createServiceClient],
    ["createWebhookVerifier", { secret: "whsec_1234" }, createWebhookVerifier],
    ["phoneLogin", {}, (options) => mountLogin(createDoorcode(complete), options)],
    ["requireLogin", {}, (options) => createLoginGuard(createDoorcode(complete), options)],
    ["createRedisStore", { client: new Redis({ lazyConnect: true }) }, createRedisStore],
    // Without `cleaning` it would clean, a minute later: so its clock stands still.
    ["createPostgresStore", { pool: new Pool(), cleaning: false, clock: createManualClock() }, createPostgresStore],
  ])("each wrong value of each option of %s is answered with its path and what was expected", (place, base, create) => {
    const answers = answersOf(create, base, []);
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.filter(({ option, message }) => !namesPath(message, place, option))).toEqual([]);
    expect(answers.filter(({ message }) => /invalid|received/i.test(message))).toEqual([]);
  });

  test.each<[string, () => unknown, RegExp]>([
    [
      "an option with two letters in the wrong order",
      () => createDoorcode({ ...complete, login: { ...login, coutnries: [] } as never }),
      /login: unknown option coutnries; did you mean countries\?/,
    ],
    [
      "an option in other capitals",
      () => createDoorcode({ ...complete, service: { ...service, baseURL: "" } as never }),
      /service: unknown option baseURL; did you mean baseUrl\?/,
    ],
    [
      "two options",
      () => appCodes({ lenght: 6, channel: [] } as never),
      /unknown option lenght, channel; did you mean channels\?/,
    ],
    [
      "an option of a store",
      () => createRedisStore({ client: new Redis({ lazyConnect: true }), timeoutSecond: 1 } as never),
      /createRedisStore: options: unknown option timeoutSecond; did you mean timeoutSeconds\?/,
    ],
    [
      "a name that stands for none",
      () => createDoorcode({ ...complete, theme: {} } as never),
      /unknown option theme; the options are/,
    ],
  ])("%s is answered with the nearest name, if there is one", (_what, call, message) => {
    expect(call).toThrow(message);
  });

  test("error messages contain no secret", () => {
    const secret = "short but secret";
    const call = () => createDoorcode({ ...complete, session: { password: secret } });
    expect(call).toThrow(expect.not.objectContaining({ message: expect.stringContaining(secret) }));
  });

  test.each([
    ["serviceCodes without a template", () => serviceCodes({} as never), /serviceCodes: template/],
    [
      "serviceCodes without channels",
      () => serviceCodes({ template: "login", channels: [] }),
      /serviceCodes: channels/,
    ],
    ["a template whose name is empty", () => serviceCodes({ template: { name: "" } }), /serviceCodes: template\.name/],
    [
      "a channel in small letters",
      () => serviceCodes({ template: "login", channels: ["sms"] }),
      /serviceCodes: channels\.0: expected names of channels in capitals/,
    ],
    [
      "a channel that only ends in capitals",
      () => serviceCodes({ template: "login", channels: ["my SMS"] }),
      /serviceCodes: channels\.0: expected names of channels in capitals/,
    ],
    ["serviceCodes of 3 digits", () => serviceCodes({ template: "login", codeLength: 3 }), /serviceCodes: codeLength/],
    [
      "serviceCodes that live longer than ten minutes",
      () => serviceCodes({ template: "login", lifetimeSeconds: 601 }),
      /serviceCodes: lifetimeSeconds/,
    ],
    ["appCodes of 4 digits", () => appCodes({ codeLength: 4 }), /appCodes: codeLength/],
    ["appCodes that never expire", () => appCodes({ lifetimeSeconds: 0 }), /appCodes: lifetimeSeconds/],
  ])("%s", (_what, call, message) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
  });
});

describe("L23: test numbers", () => {
  const number = "+4915100000007";
  const numbers = { [number]: "271828" };
  const clock = createManualClock(Date.UTC(2026, 8, 21, 23, 59));
  const inAYear = "2027-09-21";
  const create = (testNumbers: unknown, more: object = {}) =>
    createDoorcode({ ...complete, clock, login: { ...login, ...more, testNumbers } as typeof login });

  test.each([undefined, "production", "development"])("need a last day when NODE_ENV is %s", (env) => {
    vi.stubEnv("NODE_ENV", env);
    const origins = ["https://app.example.com"];
    const call = (testNumbers: object) => () =>
      createDoorcode({ ...complete, origins, clock, login: { ...login, testNumbers } as typeof login });
    expect(call({ numbers })).toThrow(/login\.testNumbers\.until: expected the last day/);
    expect(call({ numbers, until: inAYear })).not.toThrow();
  });

  test.each<[string, unknown, RegExp, object?]>([
    ["a day that does not exist", { numbers, until: "2027-02-30" }, /testNumbers\.until: expected the last day/],
    ["a time", { numbers, until: "2027-01-31T00:00:00Z" }, /testNumbers\.until: expected the last day/],
    ["a day after more than 365 days", { numbers, until: "2027-09-22" }, /testNumbers\.until: .*365 days/],
    ["an empty list", { numbers: {}, until: inAYear }, /testNumbers\.numbers: expected a code for each number/],
    [
      "a number as it is dialled",
      { numbers: { ...numbers, "0151 00000002": "271828" }, until: inAYear },
      /entry 2 could not log in \(phone_invalid\)/,
    ],
    [
      "a number of another country",
      { numbers: { "+436641234567": "271828" }, until: inAYear },
      /entry 1 could not log in \(country_not_allowed\)/,
    ],
    [
      "a number that no channel takes",
      { numbers: { "+4930123456": "271828" }, until: inAYear },
      /entry 1 could not log in \(number_type_not_allowed\)/,
    ],
    [
      "a code that is too short",
      { numbers: { [number]: "27182" }, until: inAYear },
      /entry 1 has a wrong code: expected 6 to 10 digits/,
    ],
    [
      "a code that the app could not have",
      { numbers: { [number]: "2718281" }, until: inAYear },
      /entry 1 has a wrong code: expected 6 digits/,
      { codes: appCodes() },
    ],
    ["a code with letters", { numbers: { [number]: "27182a" }, until: inAYear }, /entry 1 has a wrong code/],
  ])("%s stops the app, and the error names no number and no code", (_what, testNumbers, message, more) => {
    const call = () => create(testNumbers, more);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
    expect(call).toThrow(
      expect.not.objectContaining({ message: expect.stringMatching(/00000007|27182|436641234567|4930123456/) }),
    );
  });
});

describe("every part is optional, and its mount needs it", () => {
  test.each([
    ["a login without login", () => mountLogin(createDoorcode({ session: { password } })), /without login/],
    ["webhooks without webhooks", () => mountWebhooks(createDoorcode({ session: { password } })), /without webhooks/],
    [
      "a guard without session",
      () => createLoginGuard(createDoorcode({ webhooks: { secret: "whsec_1234" } })),
      /without session/,
    ],
    [
      "a guard of an app with sessions of its own, without them",
      () => createLoginGuard(createDoorcode({ service, login: { ...login, password } })),
      /session: \{ current \}/,
    ],
    [
      "a guard with both the kit's sessions and others",
      () => createLoginGuard(createDoorcode(complete), { session: { current: () => undefined } }),
      /requireLogin: both/,
    ],
    [
      "a login without sessions",
      () => mountLogin(createDoorcode({ service, login: { ...login, password } })),
      /no sessions/,
    ],
    [
      "a login without onLogin",
      () => mountLogin(createDoorcode({ ...complete, login: { ...login, onLogin: undefined } as never })),
      /onLogin/,
    ],
    ["a link without onLink", () => mountLogin(createDoorcode(complete), { purpose: "link" }), /onLink/],
    [
      "a link without phoneOf",
      () => {
        const onLink = () => undefined;
        return mountLogin(createDoorcode({ ...complete, login: { ...complete.login, onLink } }), { purpose: "link" });
      },
      /phoneOf/,
    ],
    ["a step-up without phoneOf", () => mountLogin(createDoorcode(complete), { purpose: "step_up" }), /phoneOf/],
    [
      "signals without beforeSend",
      () => mountLogin(createDoorcode(complete), { signals: () => ({}) }),
      /signals needs login\.beforeSend/,
    ],
    ["messages without service", () => createDoorcode({ session: { password } }).messages, /without service/],
  ])("%s", (_what, call, message) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
  });

  test.each([
    [
      "a guard whose limit is not a number",
      () => createLoginGuard(createDoorcode(complete), { provenWithinSeconds: Number.NaN }),
      /^requireLogin: provenWithinSeconds/,
    ],
    [
      "a guard with a login page on another site",
      () => createLoginGuard(createDoorcode(complete), { loginPage: "//evil.example" }),
      /loginPage/,
    ],
    [
      "a guard with a page for a step-up on another site",
      () => createLoginGuard(createDoorcode(complete), { provenWithinSeconds: 300, stepUpPage: "/\\\\evil.example" }),
      /stepUpPage/,
    ],
    [
      "a guard with a page for a step-up that it never asks for",
      () => createLoginGuard(createDoorcode(complete), { stepUpPage: "/step-up" }),
      /stepUpPage needs provenWithinSeconds/,
    ],
    [
      "forms that redirect to another site",
      () => mountLogin(createDoorcode(complete), { forms: { done: "https://evil.example" } }),
      /forms\.done/,
    ],
    [
      "sessions of the app besides the kit's own",
      () => mountLogin(createDoorcode(complete), { session: { start() {}, current: () => undefined, end() {} } }),
      /Leave session out/,
    ],
    ["a mount without a kit", () => mountWebhooks(undefined as never), /the return value of createDoorcode/],
    [
      "sessions without end",
      () => mountLogin(createDoorcode(complete), { session: { start() {}, current() {} } as never }),
      /session\.end/,
    ],
  ])("the mount rejects %s", (_what, call, message) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
  });

  test("a missing first password is an error, even when an old one is listed", () => {
    expect(() => createDoorcode({ session: { password: [undefined, password] } })).toThrow(
      /session\.password is missing/,
    );
    expect(() => createDoorcode({ session: { password: [password, undefined] } })).not.toThrow();
  });

  test("printing or copying the kit reveals no secret", () => {
    const doorcode = createDoorcode({ ...complete, login: { ...login, password: "q".repeat(32) } });
    const printed = [
      inspect(doorcode, { depth: 20, showHidden: true }),
      JSON.stringify(doorcode),
      inspect({ ...doorcode }),
    ];
    for (const secret of [password, "q".repeat(32), "key_123", "whsec_1234"])
      expect(printed.join()).not.toContain(secret);
  });

  test("L27: a limit of 0 means zero: no cooldown, and no sends", () => {
    const none = { cooldownSeconds: 0, sendsPerPhone: 0, sendsPerPhonePerDay: 0, sendsPerDevicePerDay: 0 };
    const { limits } = createDoorcode({ ...complete, login: { ...login, limits: none } });
    expect(limits.describe().limits).toMatchObject({ ...none, cooldownSeconds: [0] });
  });
});
