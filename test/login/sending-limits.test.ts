import { describe, expect, test } from "vitest";
import { type Browser, secondsToWait } from "../support/browser.ts";
import { type LoginSetup, newestCode, phone, setUpLogin, tryWrongCodes } from "../support/login-setup.ts";
import { inMemory, openPlatforms } from "../support/platforms.ts";

const everyStore = await openPlatforms();

const hour = 3_600_000;
const mode = "enforce";

/** A number of a block of ten thousand. */
function numberOf(block: string, index: number): string {
  return block + String(index).padStart(4, "0");
}

describe.each(everyStore(0))("codes for a block of numbers, on $name", (platform) => {
  const block = "+491512345";
  const other = "+491512346";

  test("L25: six that nobody enters are sent, and never more of fifty that are asked for at once; then none for an hour", async () => {
    const login = await setUpLogin(platform, {
      login: { limits: { mode: { address: "observe", network: "observe" } } },
    });
    const ask = (number: string) => login.open().post("/login/start", { phone: number });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => ask(numberOf(block, index))));
    const refused = answers.filter(({ status }) => status !== 200);
    const sentAtOnce = login.service.created.length;
    const elsewhere = [];
    for (let index = 0; index < 7; index++) elsewhere.push((await ask(numberOf(other, index))).status);

    const decided = login.events.flatMap((event) => (event.type === "login.send_decided" ? [event] : []));
    const closing = decided.filter(({ closedForSeconds }) => closedForSeconds !== undefined);
    expect(new Set(closing.map(({ closedForSeconds }) => closedForSeconds))).toEqual(new Set([3600]));
    expect(Math.min(...closing.map(({ count = 0 }) => count))).toBeGreaterThanOrEqual(7);
    // One digest for each block, which does not show it, and none for what was let pass.
    expect(new Set(decided.map(({ outcome, group }) => [outcome, group?.length].join()))).toEqual(
      new Set(["allowed,", "refused,16"]),
    );
    expect(new Set(decided.flatMap(({ group }) => group ?? [])).size).toBe(2);
    // PostgreSQL may refuse a code that was counted at the same moment as the one that closed the block.
    expect(sentAtOnce).toBeLessThanOrEqual(6);
    expect(sentAtOnce).toBe(50 - refused.length);
    expect(elsewhere).toEqual([...Array(6).fill(200), 429]);
    expect(new Set(refused.map(({ status, json }) => `${status} ${json.code}`))).toEqual(
      new Set(["429 number_range_closed"]),
    );
    expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(3500);

    await login.clock.advance(hour);
    const opened = [];
    for (let index = 60; index < 65; index++) opened.push(await ask(numberOf(block, index)));
    expect(opened.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    // The refusals of the first hour have closed it once: the second closing is that of six hours.
    expect(opened.slice(3).map((answer) => Math.ceil(secondsToWait(answer) / 3600))).toEqual([6, 6]);
  });
});

describe.each(inMemory)("codes that are sent again, on $name", (platform) => {
  const block = "+491512345";
  /** Lets each login ask for another code as often as the limits of its number allow. */
  async function askAgain(login: LoginSetup, browsers: readonly Browser[]): Promise<void> {
    for (let code = 0; code < 4; code++) {
      await login.clock.advance(200_000);
      for (const browser of browsers) await browser.post("/login/resend");
    }
  }

  test("L37: a block in which nobody enters a code gets at most two texts for each login that it may have", async () => {
    const limits = { mode: { address: "observe", network: "observe" } } as const;
    const login = await setUpLogin(platform, { login: { limits } });
    const browsers: Browser[] = [];
    for (let index = 0; index < 6; index++) browsers.push(await login.started({ phone: numberOf(block, index) }));
    await askAgain(login, browsers);
    expect(login.service.created).toHaveLength(12);
  });

  test.each([
    { what: "block", limits: { mode: { address: "observe" } }, step: 1, starts: 6, code: "number_range_closed" },
    {
      what: "address",
      limits: { mode: { country: "observe" } },
      step: 10_000_000,
      starts: 20,
      code: "client_limit_reached",
    },
  ] as const)("L37: none is sent while the $what of the login is closed", async ({ limits, step, starts, code }) => {
    const login = await setUpLogin(platform, { login: { limits: { ...limits, cooldownSeconds: 0 } } });
    const number = (index: number) => `+49${15_100_000_000 + index * step}`;
    const browser = await login.started({ phone: number(0) });
    const again = await browser.post("/login/resend");
    for (let index = 1; index <= starts; index++) await login.open().post("/login/start", { phone: number(index) });
    const closed = await browser.post("/login/resend");

    expect([again.status, closed.status, closed.json.code]).toEqual([200, 429, code]);
    expect(Number(closed.headers.get("retry-after"))).toBeGreaterThan(3000);
  });
});

describe.each(inMemory)("codes for a client, on $name", (platform) => {
  test("L13: twenty that nobody enters are sent, whatever numbers and forwarded addresses it names", async () => {
    const login = await setUpLogin(platform, { login: { limits: { mode } } });
    const statuses = [];
    for (let index = 0; index < 24; index++) {
      // Each number is in a wide block of its own.
      const number = `+49151${10 + index}000000`;
      const headers = { "sec-fetch-site": "same-origin", "x-forwarded-for": `203.0.113.${index}` };
      const answer = await login.open().post("/login/start", { phone: number }, headers);
      statuses.push(answer.status === 200 ? 200 : answer.json.code);
    }
    expect(statuses).toEqual([...Array(20).fill(200), ...Array(4).fill("client_limit_reached")]);
  });
});

describe.each(inMemory)("codes that the service surely did not send, on $name", (platform) => {
  const ask = async (status: number) => {
    const login = await setUpLogin(platform, { login: { limits: { mode, cooldownSeconds: 0, sendsPerPhone: 100 } } });
    login.service.onCreate = () => ({ status, body: {} });
    const codes = [];
    for (let start = 0; start < 23; start++) codes.push((await login.open().post("/login/start", { phone })).json.code);
    return codes;
  };

  test("L15: keep counting for their client, and not for their number, if the service refuses the number", async () => {
    expect(await ask(422)).toEqual([...Array(20).fill("send_failed"), ...Array(3).fill("client_limit_reached")]);
  });

  test("L15: count for nobody while the service takes no more", async () => {
    expect(await ask(429)).toEqual(Array(23).fill("service_rate_limited"));
  });
});

describe.each(inMemory)("a device that has proven a number, on $name, codes of $owner", (platform) => {
  test("L5: gets codes when strangers have used up those of the number, and so does no other device", async () => {
    const login = await setUpLogin(platform, { login: { limits: { cooldownSeconds: 0, sendsPerPhone: 5 } } });
    const owner = await login.loggedIn();
    await owner.post("/login/logout");
    await login.clock.advance(1);
    for (let code = 0; code < 4; code++) await login.started();
    const stranger = await login.open().post("/login/start", { phone });
    const started = await owner.post("/login/start", { phone });
    const confirmed = await owner.post("/login/confirm", { code: newestCode(login.service) });

    expect([stranger.status, stranger.json.code]).toEqual([429, "send_limit_reached"]);
    expect([started.status, confirmed.json.status]).toEqual([200, "logged_in"]);
  });

  test("L5: logs in when strangers have closed the number by wrong codes, and does not open it for them", async () => {
    const limits = {
      cooldownSeconds: 0,
      sendsPerPhone: 100,
      sendsPerPhonePerDay: 100,
      failuresPerPhone: 5,
      failuresPerPhoneInTenMinutes: 100,
    };
    const login = await setUpLogin(platform, { login: { limits } });
    const owner = await login.loggedIn();
    await owner.post("/login/logout");
    await login.clock.advance(1);
    const stranger = await login.started();
    await tryWrongCodes(stranger, login.service, 5);
    /** What strangers get: a closed number, or long codes. */
    const guess = async () => {
      const browser = await login.started();
      if (platform.owner === "the app") return newestCode(login.service).length;
      return (await browser.post("/login/confirm", { code: newestCode(login.service) })).json.code;
    };
    const closed = platform.owner === "the app" ? 10 : "phone_closed";
    const before = await guess();
    await owner.post("/login/start", { phone });
    const code = newestCode(login.service);
    const confirmed = await owner.post("/login/confirm", { code });

    expect([before, code.length]).toEqual([closed, 6]);
    await login.clock.advance(1);
    expect(confirmed.json.status).toBe("logged_in");
    expect(await guess()).toBe(closed);
  });

  test("is named by a random id in a cookie for 180 days, which a logout keeps", async () => {
    const login = await setUpLogin(platform);
    const browser = await login.started();
    const confirmed = await browser.post("/login/confirm", { code: newestCode(login.service) });
    const cookie = confirmed.headers.getSetCookie().find((text) => text.includes("-device="));
    expect(cookie).toMatch(/^\w+-device=[\w-]{22}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/);
    const before = new Map(browser.cookies);
    await browser.post("/login/logout");
    const device = [...before].find(([name]) => name.endsWith("-device"));
    expect([...browser.cookies]).toContainEqual(device);
  });
});
