import { appCodes, createDoorcode, serviceCodes } from "@doorcode/core";
import { expect, test } from "vitest";
import type { Answer } from "../support/browser.ts";
import { hosts } from "../support/hosts.ts";
import { newestCode, otherPhone, password, phone, setUpLogin, wrongCode } from "../support/login-setup.ts";

/*
 * What the standards ask for and no other suite shows, in the memory of one process.
 */

const [host = expect.unreachable()] = hosts;

const service = { baseUrl: "https://service.example", apiKey: "key_123" };
const createWith = (options: object) => () =>
  createDoorcode({ service, login: { countries: ["DE"], codes: appCodes(), onLogin: () => "user_1", ...options } });

test.each<[string, () => unknown, RegExp]>([
  [
    "a code of the service for more than ten minutes",
    () => serviceCodes({ template: "login", lifetimeSeconds: 601 }),
    /lifetimeSeconds.*600/,
  ],
  ["a code of the app for more than ten minutes", () => appCodes({ lifetimeSeconds: 601 }), /lifetimeSeconds.*600/],
  ["a code of the app with fewer than six digits", () => appCodes({ codeLength: 5 }), /codeLength.*6/],
  ["more than 100 wrong codes in a row", createWith({ limits: { failuresPerPhone: 101 } }), /failuresPerPhone.*100/],
  [
    "a session of more than 400 days",
    () => createDoorcode({ session: { password, lifetimeSeconds: 34_560_001 } }),
    /lifetimeSeconds.*34560000/,
  ],
])("no option allows %s", (_what, call, message) => {
  expect(call).toThrow(TypeError);
  expect(call).toThrow(message);
});

test("by default 100 wrong codes in a row close a number for 400 days", async () => {
  const sends = { cooldownSeconds: 0, sendsPerPhone: 1000, sendsPerPhonePerDay: 1000 };
  const limits = { ...sends, failuresPerPhoneInTenMinutes: 100 };
  const { started, service, clock } = await setUpLogin(host, { login: { limits } });
  for (let login = 0; login < 20; login++) {
    const browser = await started();
    for (let attempt = 0; attempt < 5; attempt++) {
      expect((await browser.post("/login/confirm", { code: wrongCode(service) })).json.code).toBe("code_rejected");
    }
  }
  const logIn = async () => {
    const browser = await started();
    const { json } = await browser.post("/login/confirm", { code: newestCode(service) });
    return json.code ?? json.status;
  };
  expect(await logIn()).toBe("phone_closed");
  await clock.advance(400 * 86_400_000 - 1000);
  expect(await logIn()).toBe("phone_closed");
  await clock.advance(1000);
  expect(await logIn()).toBe("logged_in");
});

test("a number with an account and one without are answered the same until a right code, and the app is asked for neither", async () => {
  const asked: string[] = [];
  const { open, service } = await setUpLogin(host, {
    login: {
      onLogin: (proof) => {
        asked.push(proof.phone);
        return proof.phone === phone ? "user_1" : undefined;
      },
    },
  });
  /** What two answers must have in common: the number, its login and the time differ. */
  const visible = ({ status, headers, json }: Answer) => {
    const { phone: _masked, number: _typed, transaction: _tag, version: _version, ...rest } = json;
    return { status, headers: [...headers.keys()].filter((name) => name !== "content-length"), rest };
  };
  const answersFor = async (number: string) => {
    const browser = open();
    const started = await browser.post("/login/start", { phone: number });
    const refused = await browser.post("/login/confirm", { code: wrongCode(service) });
    return [visible(started), visible(refused), visible(await browser.get("/login/state"))];
  };

  expect(await answersFor(phone)).toEqual(await answersFor(otherPhone));
  expect(service.created.map(({ recipient }) => recipient)).toEqual([phone, otherPhone]);
  expect(asked).toEqual([]);
});

test("the ids of sessions and logins are 128 random bits", async () => {
  const { started } = await setUpLogin(host);
  const { session } = createDoorcode({ name: "ids", session: { password } });
  const count = Array.from({ length: 50 });
  const sessions = await Promise.all(count.map(() => session.start({ userId: "user_1" })));
  const logins = await Promise.all(count.map(() => started()));

  for (const ids of [
    sessions.map(({ sessionId }) => sessionId),
    logins.flatMap(({ cookies }) => [...cookies.values()]),
  ]) {
    expect(new Set(ids).size).toBe(50);
    expect(ids.filter((id) => !/^[\w-]{22}$/.test(id))).toEqual([]);
    expect(constantBits(ids)).toEqual([]);
  }
});

/** Returns the bits that are the same in all ids. In 50 random ids there is none: the chance is 2^-49 for each bit. */
function constantBits(ids: readonly string[]): number[] {
  const bytes = ids.map((id) => Buffer.from(id, "base64url"));
  return Array.from({ length: 128 }, (_, bit) => bit).filter((bit) => {
    const ones = bytes.filter((id) => ((id[bit >> 3] ?? 0) >> (bit & 7)) & 1).length;
    return ones === 0 || ones === ids.length;
  });
}

test("a session cookie shows neither the user nor the session", async () => {
  const { session } = createDoorcode({ name: "opaque", session: { password } });
  const { setCookie, sessionId } = await session.start({ userId: "user_1234567" });
  const [value = ""] = setCookie.replace(/^[^=]+=/, "").split(";");
  const readable = decodeURIComponent(value)
    .split(/[^\w-]/)
    .flatMap((part) => [part, Buffer.from(part, "base64url").toString("latin1")]);

  for (const secret of ["user_1234567", sessionId]) expect(readable.join("\n")).not.toContain(secret);
});

test("a step-up starts a session with a whole lifetime, and ends the one before it", async () => {
  const { loggedIn, service, clock } = await setUpLogin(host, {
    account: true,
    options: { session: { password, lifetimeSeconds: 3600, idleSeconds: 3600 } },
  });
  const browser = await loggedIn();
  const before = browser.copy();
  await clock.advance(3_000_000);
  await browser.post("/step-up/start");
  await browser.post("/step-up/confirm", { code: newestCode(service) });
  const ended = await before.get("/account");
  await clock.advance(3_000_000);

  expect([ended.status, (await browser.get("/account")).status]).toEqual([401, 200]);
});
