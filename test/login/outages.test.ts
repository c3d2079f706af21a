import { providerCodes } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { advanceUntil } from "../support/advance-until.ts";
import { createBarrier } from "../support/barrier.ts";
import { type Answer, type Browser, outcomeOf } from "../support/browser.ts";
import { deployOn } from "../support/deployment.ts";
import { createFailingStore } from "../support/failing-store.ts";
import { findFreePort } from "../support/free-port.ts";
import { host } from "../support/hosts.ts";
import { appOwned, type LoginSetup, phone, serviceOwned, setUpLogin, wrongCode } from "../support/login-setup.ts";
import { inMemory, type Platform } from "../support/platforms.ts";
import { refusal, type ServiceAnswer } from "../support/scripted-service.ts";

const { codes } = serviceOwned;

/** Limits at which three wrong codes close everything: the login for a minute, the number, and the address. */
const limits = {
  cooldownSeconds: 0,
  checkPauseSeconds: [0, 0, 60],
  failuresPerPhone: 3,
  failuresPerPhoneInTenMinutes: 3,
  failuresPerAddressPerDay: 3,
  mode: "enforce",
} as const;

/** An answer that judges no code. */
interface Unchecked {
  readonly what: string;
  readonly answer: ServiceAnswer;
  /** The time to wait, if it is not two seconds. */
  readonly retryAfter?: string;
  /** The refusal, if it is not `service_unavailable`. */
  readonly code?: string;
  /** True if the service has surely compared no code. */
  readonly comparedNothing?: boolean;
}

const outages: readonly Unchecked[] = [
  { what: "500", answer: { status: 500, body: {} } },
  { what: "503 with a known code", answer: { ...refusal("verify.invalid_code"), status: 503 } },
  {
    what: "429",
    answer: { status: 429, body: {}, headers: { "retry-after": "7" } },
    code: "service_rate_limited",
    retryAfter: "7",
    comparedNothing: true,
  },
  { what: "200 with HTML", answer: { status: 200, body: "<html>Maintenance</html>" } },
  // The service has compared the code, whatever the status says.
  { what: "403 with a known code", answer: { ...refusal("verify.invalid_code"), status: 403 } },
  { what: "401", answer: { status: 401, body: {} }, comparedNothing: true },
  { what: "403", answer: { status: 403, body: "<html>Maintenance</html>" }, comparedNothing: true },
];

/** Tries a code as often as that. */
async function tryCode(browser: Browser, code: string, times: number): Promise<Answer[]> {
  const answers = [];
  for (let time = 0; time < times; time++) answers.push(await browser.post("/login/confirm", { code }));
  return answers;
}

const eventsOf = ({ events }: LoginSetup) =>
  events.map(({ type }) => type).filter((type) => /login\.(code_|check_|completed)/.test(type));

/** Tries three codes that the service does not judge, and then the right one. */
async function expectNoWrongCodes(
  platform: Platform,
  { answer, code = "service_unavailable", retryAfter = "2", comparedNothing = false }: Unchecked,
): Promise<void> {
  const login = await setUpLogin(platform, { codes, login: { limits } });
  const browser = await login.started();
  login.service.onConfirm = () => answer;
  const failed = await tryCode(browser, login.service.code, 3);
  const { json: state } = await browser.get("/login/state");
  login.service.onConfirm = () => undefined;
  const right = await browser.post("/login/confirm", { code: login.service.code });

  const refusals = failed.map(({ status, json, headers }) => [status, json.code, headers.get("retry-after")]);
  expect(refusals).toEqual(Array(3).fill([503, code, retryAfter]));
  expect(failed.map(({ json }) => json.attemptsLeft)).toEqual(comparedNothing ? [5, 5, 5] : [4, 3, 2]);
  expect([state.attemptsLeft, state.checkInSeconds]).toEqual([comparedNothing ? 5 : 2, 0]);
  expect(eventsOf(login)).toEqual([
    "login.code_sent",
    ...Array(3).fill("login.check_failed"),
    "login.code_checked",
    "login.completed",
  ]);
  expect(right.json.status).toBe("logged_in");
}

describe.each(inMemory)("an outage of the service, on $name", (platform) => {
  test.each(outages)("L34: three answers $what are no wrong codes: the right code logs in after them", (given) =>
    expectNoWrongCodes(platform, given),
  );
});

describe.each(inMemory)("counters in an outage, on $name", (platform) => {
  test("L34: a refused connection costs nothing, and the right code logs in after three of them", async () => {
    const app = deployOn(platform);
    const login = await setUpLogin(platform, { app, codes, login: { limits } });
    const nobody = { baseUrl: `http://127.0.0.1:${await findFreePort()}/v1`, apiKey: "key_of_the_tests" };
    const cutOff = await setUpLogin(platform, { app, codes, login: { limits }, options: { service: nobody } });
    const browser = await login.started();
    const moved = cutOff.open();
    for (const [name, value] of browser.cookies) moved.cookies.set(name, value);
    const failed = [];
    for (let time = 0; time < 3; time++) {
      failed.push(await advanceUntil(cutOff, moved.post("/login/confirm", { code: login.service.code })));
    }
    const right = await browser.post("/login/confirm", { code: login.service.code });

    expect(failed.map((answer) => [outcomeOf(answer), answer.json.attemptsLeft])).toEqual(
      Array(3).fill(["service_unavailable", 5]),
    );
    expect([login.service.confirmations.length, right.json.status]).toEqual([1, "logged_in"]);
  });

  test("L18, L34: a time-out uses the attempt and nothing else", async () => {
    const login = await setUpLogin(platform, { codes, login: { limits } });
    const { service, clock } = login;
    const browser = await login.started();
    const failed = [];
    for (let time = 0; time < 3; time++) {
      const asked = createBarrier();
      service.onConfirm = asked.hold(undefined);
      const waiting = browser.post("/login/confirm", { code: wrongCode(service) });
      await asked.arrived(1);
      await clock.advance(10_000);
      failed.push(await waiting);
      asked.open();
    }
    service.onConfirm = () => undefined;
    const right = await browser.post("/login/confirm", { code: service.code });

    expect(failed.map((answer) => [outcomeOf(answer), answer.json.attemptsLeft])).toEqual([
      ["service_unavailable", 4],
      ["service_unavailable", 3],
      ["service_unavailable", 2],
    ]);
    expect(right.json.status).toBe("logged_in");
  });

  test("L34: an unknown verification ends the login and counts for neither number nor address", async () => {
    const login = await setUpLogin(platform, { codes, login: { limits } });
    login.service.onConfirm = () => ({ status: 404, body: {} });
    const ended = [];
    for (let time = 0; time < 3; time++) ended.push(...(await tryCode(await login.started(), login.service.code, 1)));
    login.service.onConfirm = () => undefined;
    const right = await tryCode(await login.started(), login.service.code, 1);

    expect([...ended, ...right].map(outcomeOf)).toEqual([...Array(3).fill("no_transaction"), "logged_in"]);
  });

  test("L34: if the store fails at giving back, the answer is still that of the failed check", async () => {
    const app = deployOn(platform);
    const failing = createFailingStore(app);
    const login = await setUpLogin(platform, { app, store: failing.store, codes, login: { limits } });
    const browser = await login.started();
    login.service.onConfirm = () => {
      failing.failOn(({ what }) => what.startsWith("increment"));
      return { status: 503, body: {} };
    };
    const [failed] = await tryCode(browser, login.service.code, 1);
    failing.repair();

    expect([failed?.status, failed?.json.code]).toEqual([503, "service_unavailable"]);
    expect((await browser.get("/login/state")).json.attemptsLeft).toBe(4);
  });
});

describe.each(inMemory.slice(0, 1))("a login that meets the service's rate limit, on $name", (platform) => {
  test("L34: gets a hundred attempts back, and no more: one login cannot keep the app at that limit", async () => {
    const { started, service } = await setUpLogin(platform, { codes, login: { limits } });
    const browser = await started();
    service.onConfirm = () => ({ status: 429, body: {} });
    const free = await tryCode(browser, service.code, 100);
    const used = await tryCode(browser, service.code, 5);
    const beyond = await tryCode(browser, service.code, 1);

    expect(new Set(free.map(({ json }) => json.attemptsLeft))).toEqual(new Set([5]));
    expect(used.map(({ json }) => json.attemptsLeft)).toEqual([4, 3, 2, 1, 0]);
    expect([outcomeOf(beyond[0] ?? expect.fail("No answer.")), service.confirmations.length]).toEqual([
      "attempts_exhausted",
      105,
    ]);
  });
});

describe.each(inMemory)("another provider that judges no code, on $name", (platform) => {
  test("L34: an error and an answer that is late use the attempt and nothing else", async () => {
    const checking = createBarrier();
    const answers = [
      () => Promise.reject(new Error("down")),
      () => Promise.reject(new Error("down")),
      checking.hold(false),
      () => true,
    ];
    const provider = providerCodes({ send: () => ({ id: "1" }), check: () => answers.shift()?.() ?? false });
    const login = await setUpLogin(platform, { codes: provider, login: { limits } });
    const browser = await login.started();
    const failed = await tryCode(browser, "123456", 2);
    const late = browser.post("/login/confirm", { code: "123456" });
    await checking.arrived(1);
    await login.clock.advance(10_000);
    failed.push(await late);
    checking.open();
    const right = await browser.post("/login/confirm", { code: "123456" });

    expect(failed.map((answer) => [outcomeOf(answer), answer.json.attemptsLeft])).toEqual([
      ["service_unavailable", 4],
      ["service_unavailable", 3],
      ["service_unavailable", 2],
    ]);
    expect(right.json.status).toBe("logged_in");
  });

  test("L35: an answer that `check` must not give is a mistake of the app, and counts as a wrong code", async () => {
    const provider = providerCodes({ send: () => ({ id: "1" }), check: () => undefined as unknown as boolean });
    const login = await setUpLogin(platform, { codes: provider, login: { limits } });
    const mistaken = await tryCode(await login.started(), "123456", 3);
    const [refused] = await tryCode(await login.started(), "123456", 1);

    expect([...mistaken.map(({ status }) => status), refused?.json.code]).toEqual([500, 500, 500, "phone_closed"]);
  });
});

test.each([{ id: "" }, { id: "7".repeat(501) }, { id: 7 }, {}, undefined])(
  "an answer of providerCodes.send without a usable id is a mistake of the app: %j",
  async (answer) => {
    const provider = providerCodes({ send: () => answer as { id: string }, check: () => true });
    const login = await setUpLogin(host, { codes: provider });
    expect((await login.open().post("/login/start", { phone })).status).toBe(500);
  },
);

test("a login that holds no id of a provider ends, and the provider is not asked", async () => {
  const app = deployOn(host);
  const before = await setUpLogin(host, { app, codes: appOwned.codes });
  before.service.onCreate = () => ({ status: 200, body: { error_code: "" } });
  const browser = await before.started();
  let checks = 0;
  const check = () => ++checks > 0;
  const after = await setUpLogin(host, { app, codes: providerCodes({ send: () => ({ id: "1" }), check }) });
  const moved = after.open();
  for (const [name, value] of browser.cookies) moved.cookies.set(name, value);
  expect([(await moved.post("/login/confirm", { code: "123456" })).json.code, checks]).toEqual(["no_transaction", 0]);
});

describe.each(inMemory)("answers of the service, on $name", (platform) => {
  test.each([
    ["status 404", { status: 404, body: {} }, "no_transaction", 1],
    ["an expired code", refusal("verify.expired"), "code_expired", 1],
    ["too many attempts", refusal("verify.max_attempts_reached"), "attempts_exhausted", 0],
  ])("L18: %s ends the login", async (_what, answer, code, published) => {
    const { started, service, events } = await setUpLogin(platform, { codes });
    const browser = await started();
    service.onConfirm = () => answer;
    const refused = await browser.post("/login/confirm", { code: service.code });

    service.onConfirm = () => undefined;
    const again = await browser.post("/login/confirm", { code: service.code });

    expect([refused.json.code, again.json.code]).toEqual([code, "no_transaction"]);
    expect((await browser.get("/login/state")).json.status).toBe("none");
    expect(events.filter(({ type }) => type === "login.code_ended")).toHaveLength(published);
  });

  test("a login that holds no verification id, from when the app owned the codes, ends without asking the service", async () => {
    const app = platform.deploy();
    const before = await setUpLogin(platform, { app, codes: appOwned.codes });
    before.service.onCreate = () => ({ status: 200, body: { error_code: "" } });
    const browser = await before.started();
    const after = await setUpLogin(platform, { app, codes });
    const moved = after.open();
    for (const [name, value] of browser.cookies) moved.cookies.set(name, value);
    const answer = await moved.post("/login/confirm", { code: after.service.code });

    expect([answer.json.code, after.service.confirmations.length]).toEqual(["no_transaction", 0]);
  });

  test("an answer of the service without a verification id is a failed send", async () => {
    const { open, service, events } = await setUpLogin(platform, { codes });
    service.onCreate = () => ({ status: 200, body: { error_code: "" } });
    const answer = await open().post("/login/start", { phone });
    expect(answer.json.code).toBe("send_failed");
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "login.send_failed",
        error: expect.objectContaining({
          code: "service_unreadable",
          outcome: "unknown",
          message: expect.stringContaining("service.readVerificationId"),
        }),
      }),
    );
  });
});
