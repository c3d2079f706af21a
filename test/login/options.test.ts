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
import { createEventTransactions, createPostgresInbox, createPostgresStore } from "@doorcode/postgres";
import { createBullInbox, createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { Pool } from "pg";
import { afterEach, describe, expect, test, vi } from "vitest";

const password = "p".repeat(32);
const service = { baseUrl: "https://service.example", apiKey: "key_123" };
const login: LoginOptions = { countries: ["DE"], codes: serviceCodes({ template: "login" }), onLogin: () => "user_1" };
const complete = { service, login, session: { password }, webhooks: { secret: "whsec_1234" } };

/** The complete options with other options of the login, right or wrong. */
const loginWith = (changes: object): typeof complete => ({ ...complete, login: { ...login, ...changes } });

afterEach(() => void vi.unstubAllEnvs());

const withTestNumbers = {
  ...complete,
  clock: createManualClock(Date.UTC(2026, 8, 21)),
  login: { ...login, testNumbers: { numbers: { "+4915100000007": "271828" }, until: "2027-01-31" } },
};

const withPrices = loginWith({ limits: { prices: { other: 0.1 } } });

/** Values of every type, none of which is right for any option that takes more than one of them. */
const wrongValues: readonly unknown[] = [null, true, 7.5, "no such value", [{}], { "no such option": 7 }, () => 7];

/** The options that a function takes, as its own error lists them. */
function namesOf(create: (options: object) => unknown): readonly string[] {
  const message = messageOf(() => create({ "no such option": 7 })) ?? "";
  return message.match(/the options are (.*)\./i)?.[1]?.split(", ") ?? [];
}

/** The answers to wrong values that do not help, for each option of a function below `path`. */
function badAnswersOf(place: string, create: (options: never) => unknown, base: object, path: readonly string[]) {
  const names = namesOf((options) => create(withOption(base, path, options) as never));
  expect(names).not.toEqual([]);
  return names.flatMap((name) => {
    const option = [...path, name].join(".");
    const messages = wrongValues
      .map((value) => messageOf(() => create(withOption(base, [...path, name], value) as never)))
      .filter((message) => message !== undefined);
    // No option takes more than two of the values.
    if (messages.length < wrongValues.length - 2) return [`${option} takes almost every value`];
    return messages.filter((message) => !namesPath(message, place, option) || /invalid|received/i.test(message));
  });
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
  test.each<[RegExp, object]>([
    [/login\.countries\.1.*"DE"/, loginWith({ countries: ["DE", "Germany"] })],
    [/login\.countries\.0: .*"GB"/, loginWith({ countries: ["UK"] })],
    [/login\.countries: expected at least one/, loginWith({ countries: [] })],
    [/login\.countries\.1/, loginWith({ countries: ["DE", "any"] })],
    [/login\.numberTypes\.VOICE: .*its channels are SMS/, loginWith({ numberTypes: { VOICE: ["MOBILE"] } })],
    [/login\.numberTypes\.SMS\.1: expected "MOBILE"/, loginWith({ numberTypes: { SMS: ["MOBILE", "PREMIUM_RATE"] } })],
    [/login\.numberTypes\.SMS: .*leave it out/, loginWith({ numberTypes: { SMS: [] } })],
    [/login\.suppresses: .*beforeSend.*leave the option out/, loginWith({ suppresses: false })],
    [
      /login\.limits\.prices: .*for AT, such as \{ AT: 0\.08 \}/,
      loginWith({ countries: ["DE", "AT"], limits: { costPerDay: 10, prices: { DE: 0.08 } } }),
    ],
    [
      /login\.limits\.prices: .*for other/,
      loginWith({ countries: "any", limits: { costPerDay: 10, prices: { DE: 0.08 } } }),
    ],
    [/login\.limits\.prices\.Germany: .*or "other"/, loginWith({ limits: { prices: { Germany: 0.08 } } })],
    [
      /login\.limits\.costPerDay: expected a cost from 0 to 1000000000, such as 50/,
      loginWith({ limits: { costPerDay: -1, prices: { DE: 0.08 } } }),
    ],
    [/login\.codes: expected serviceCodes/, loginWith({ codes: undefined })],
    [/session\.password.*SESSION_PASSWORD.*32/, { ...complete, session: { password: "short" } }],
    [/login\.codes: call it/, loginWith({ codes: appCodes })],
    [/session\.password lists more than 4/, { ...complete, session: { password: Array(5).fill(password) } }],
    [
      /webhooks\.secret lists more than 2.*a separate kit/,
      { ...complete, webhooks: { secret: ["of_one_application", "of_another_one", "of_a_third_one"] } },
    ],
    [/webhooks\.secret.*WEBHOOK_SECRET/, { ...complete, webhooks: { secret: undefined } }],
    [/login needs service/, { ...complete, service: undefined }],
    [/session\.lifetimeSeconds.*from 60/, { ...complete, session: { password, lifetimeSeconds: 0 } }],
    [/limits\.attemptsPerTransaction/, loginWith({ limits: { attemptsPerTransaction: 99 } })],
    [/limits\.failuresPerAddressPerDay.*from 1/, loginWith({ limits: { failuresPerAddressPerDay: 0 } })],
    [/login\.suspicionAfterSeconds.*34560000/, loginWith({ suspicionAfterSeconds: 34_560_001 })],
    [/origins\.0.*without a path/, { ...complete, origins: ["https://app.example.com/login"] }],
    [/origins.*all https/, { ...complete, origins: ["https://app.example.com", "http://localhost:3000"] }],
    [/origins.*all https/, { ...complete, origins: ["https://localhost:3001", "http://localhost:3000"] }],
    [/origins has no website/, { ...complete, origins: ["capacitor://localhost"] }],
    [
      /webhooks\.limitBytes: expected.*8388608/,
      { ...complete, webhooks: { secret: "whsec_1234", limitBytes: 8_388_609 } },
    ],
    ...[59, 60.5, 86_401].map((reconcileEverySeconds): [RegExp, object] => [
      /webhooks\.reconcileEverySeconds: expected a whole number from 60 to 86400/,
      { ...complete, webhooks: { secret: "whsec_1234", reconcileEverySeconds } },
    ]),
    [
      /webhooks\.reconcileEverySeconds needs the service/,
      { webhooks: { secret: "whsec_1234", reconcileEverySeconds: 60 } },
    ],
    [/name: expected/, { ...complete, name: "my app" }],
  ])("at start, with the message %s", (message, options) => {
    const call = () => createDoorcode(options as Parameters<typeof createDoorcode>[0]);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
  });

  test.each(["file://localhost", "javascript://x", "ionic://localhost/"])("%s is no origin of an app", (origin) => {
    expect(() => createDoorcode({ ...complete, origins: ["https://app.example.com", origin] })).toThrow(/origins\.1/);
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
    expect(create("localhost:4010")).toThrow(/service\.baseUrl: .* but this is "localhost:4010"\./);
    for (const url of [
      "https://me:secret@api.example",
      "https://api.example?key=secret",
      "https://api.example#secret",
      "a-key-in-the-wrong-variable",
    ]) {
      expect(create(url)).toThrow(/set SERVICE_URL\.$/);
    }
    expect(() => createDoorcode({ ...complete, origins: ["https://me:secret@app.example"] })).toThrow(/a path\.$/);
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
    expect(badAnswersOf("createDoorcode", createDoorcode, base, path)).toEqual([]);
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
    ["createBullInbox", { client: new Redis({ lazyConnect: true }) }, createBullInbox],
    // Without `cleaning` it would clean, a minute later: so its clock stands still.
    ["createPostgresStore", { pool: new Pool(), cleaning: false, clock: createManualClock() }, createPostgresStore],
    ["createPostgresInbox", { pool: new Pool(), cleaning: false, clock: createManualClock() }, createPostgresInbox],
    [
      "createEventTransactions",
      { pool: new Pool(), store: createPostgresStore({ pool: new Pool(), cleaning: false }) },
      createEventTransactions,
    ],
  ])("each wrong value of each option of %s is answered with its path and what was expected", (place, base, create) => {
    expect(badAnswersOf(place, create, base, [])).toEqual([]);
  });

  test("unknown options are named, beside the names of all options", () => {
    const call = () => appCodes({ lenght: 6, channel: [] } as never);
    expect(call).toThrow(/^appCodes: unknown option lenght, channel; the options are .*channels/);
  });

  test("a misspelled option is named before the one that is missing", () => {
    const call = () => serviceCodes({ tempalte: "login" } as never);
    expect(call).toThrow(/^serviceCodes: unknown option tempalte; the options are template/);
  });

  test("error messages contain no secret", () => {
    const secret = "short but secret";
    const call = () => createDoorcode({ ...complete, session: { password: secret } });
    expect(call).toThrow(expect.not.objectContaining({ message: expect.stringContaining(secret) }));
  });

  test.each([
    [/serviceCodes: template/, () => serviceCodes({} as never)],
    [/serviceCodes: channels/, () => serviceCodes({ template: "login", channels: [] })],
    [/serviceCodes: template\.name/, () => serviceCodes({ template: { name: "" } })],
    [
      /serviceCodes: channels\.0: expected names of channels in capitals/,
      () => serviceCodes({ template: "login", channels: ["my SMS"] }),
    ],
    [/serviceCodes: codeLength/, () => serviceCodes({ template: "login", codeLength: 3 })],
    [/appCodes: lifetimeSeconds/, () => appCodes({ lifetimeSeconds: 0 })],
  ])("also those of codes, with the message %s", (message, call) => {
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

  test.each<[RegExp, unknown, object?]>([
    [/login\.testNumbers\.until: expected the last day/, { numbers, until: "2027-02-30" }],
    [/testNumbers\.until: expected the last day/, { numbers, until: "2027-01-31T00:00:00Z" }],
    [/testNumbers\.until: .*365 days/, { numbers, until: "2027-09-22" }],
    [/testNumbers\.numbers: expected a code for each number/, { numbers: {}, until: inAYear }],
    [
      /entry 2 could not log in \(phone_invalid\)/,
      { numbers: { ...numbers, "0151 00000002": "271828" }, until: inAYear },
    ],
    [/entry 1 could not log in \(country_not_allowed\)/, { numbers: { "+436641234567": "271828" }, until: inAYear }],
    [/entry 1 could not log in \(number_type_not_allowed\)/, { numbers: { "+4930123456": "271828" }, until: inAYear }],
    [/entry 1 has a wrong code: expected 6 to 10 digits/, { numbers: { [number]: "27182" }, until: inAYear }],
    [
      /entry 1 has a wrong code: expected 6 digits/,
      { numbers: { [number]: "2718281" }, until: inAYear },
      { codes: appCodes() },
    ],
    [/entry 1 has a wrong code/, { numbers: { [number]: "27182a" }, until: inAYear }],
  ])(
    "stop the app if they are wrong, with the message %s, which names no number and no code",
    (message, testNumbers, more) => {
      const call = () => create(testNumbers, more);
      expect(call).toThrow(TypeError);
      expect(call).toThrow(message);
      expect(call).toThrow(
        expect.not.objectContaining({ message: expect.stringMatching(/00000007|27182|436641234567|4930123456/) }),
      );
    },
  );
});

describe("every part is optional, and its mount needs it", () => {
  const kit = createDoorcode(complete);
  const kitWithOnLink = createDoorcode(loginWith({ onLink: () => undefined }));

  test.each([
    [/without login/, () => mountLogin(createDoorcode({ session: { password } }))],
    [/without webhooks/, () => mountWebhooks(createDoorcode({ session: { password } }))],
    [/without session/, () => createLoginGuard(createDoorcode({ webhooks: { secret: "whsec_1234" } }))],
    [/session: \{ current \}/, () => createLoginGuard(createDoorcode({ service, login: { ...login, password } }))],
    [/requireLogin: both/, () => createLoginGuard(kit, { session: { current: () => undefined } })],
    [/no sessions/, () => mountLogin(createDoorcode({ service, login: { ...login, password } }))],
    [/"login" needs login\.onLogin/, () => mountLogin(createDoorcode(loginWith({ onLogin: undefined })))],
    [/"link" needs login\.onLink/, () => mountLogin(kit, { purpose: "link" })],
    [/"link" needs login\.phoneOf/, () => mountLogin(kitWithOnLink, { purpose: "link" })],
    [/"step_up" needs login\.phoneOf/, () => mountLogin(kit, { purpose: "step_up" })],
    [/signals needs login\.beforeSend/, () => mountLogin(kit, { signals: () => ({}) })],
    [/without service/, () => createDoorcode({ session: { password } }).messages],
  ])("a mount without its part is rejected: %s", (message, call) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
  });

  test.each([
    [/^requireLogin: provenWithinSeconds/, () => createLoginGuard(kit, { provenWithinSeconds: Number.NaN })],
    [/^requireLogin: by: expected a list/, () => createLoginGuard(kit, { provenWithinSeconds: 300, by: [] })],
    [/^requireLogin: by/, () => createLoginGuard(kit, { provenWithinSeconds: 300, by: ["sms"] as never })],
    [/^requireLogin: by/, () => createLoginGuard(kit, { provenWithinSeconds: 300, by: "passkey" as never })],
    [/by needs provenWithinSeconds/, () => createLoginGuard(kit, { by: ["passkey"] })],
    [/loginPage/, () => createLoginGuard(kit, { loginPage: "//evil.example" })],
    [/stepUpPage/, () => createLoginGuard(kit, { provenWithinSeconds: 300, stepUpPage: "/\\\\evil.example" })],
    [/stepUpPage needs provenWithinSeconds/, () => createLoginGuard(kit, { stepUpPage: "/step-up" })],
    [/forms\.done/, () => mountLogin(kit, { forms: { done: "https://evil.example" } })],
    [/Leave session out/, () => mountLogin(kit, { session: { start() {}, current: () => undefined, end() {} } })],
    [/the return value of createDoorcode/, () => mountWebhooks(undefined as never)],
    [/session\.end/, () => mountLogin(kit, { session: { start() {}, current() {} } as never })],
  ])("a mount rejects what it cannot use: %s", (message, call) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
  });

  test("codes of another provider need no service", () => {
    const codes = providerCodes({ send: () => ({ id: "1" }), check: () => true });
    expect(() => createDoorcode({ session: { password }, login: { ...login, codes } })).not.toThrow();
  });

  test("a missing first password is an error, even when an old one is listed", () => {
    expect(() => createDoorcode({ session: { password: [undefined, password] } })).toThrow(
      /session\.password is missing/,
    );
    expect(() => createDoorcode({ session: { password: [password, undefined] } })).not.toThrow();
  });

  test("printing or copying the kit reveals no secret", () => {
    const doorcode = createDoorcode(loginWith({ password: "q".repeat(32) }));
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
    const { limits } = createDoorcode(loginWith({ limits: none }));
    expect(limits.describe().limits).toMatchObject({ ...none, cooldownSeconds: [0] });
  });
});
