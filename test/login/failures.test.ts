import { describe, expect, test } from "vitest";
import { advanceUntil } from "../support/advance-until.ts";
import { type Browser, secondsToWait } from "../support/browser.ts";
import { type LoginSetup, newestCode, otherPhone, phone, setUpLogin, tryWrongCodes } from "../support/login-setup.ts";
import { inMemory } from "../support/platforms.ts";

const oneDay = 86_400_000;

async function fail(browser: Browser, { service }: LoginSetup, times: number): Promise<unknown[]> {
  return (await tryWrongCodes(browser, service, times)).map(({ json }) => json.code);
}

describe.each(inMemory)("the failures of a number on $name, codes of $owner", (platform) => {
  test("L4: are remembered after the gate of ten minutes, for longer than a year", async () => {
    const limits = { cooldownSeconds: 0, sendsPerPhone: 100, failuresPerPhone: 6, failuresPerPhoneInTenMinutes: 100 };
    const login = await setUpLogin(platform, { login: { limits } });
    await fail(await login.started(), login, 3);
    await login.clock.advance(366 * oneDay);
    await fail(await login.started(), login, 3);
    /** What the failures do to the next login. */
    const nextLogin = async () => {
      const browser = await login.started();
      if (platform.owner === "the app") return newestCode(login.service).length;
      return (await browser.post("/login/confirm", { code: newestCode(login.service) })).json.code;
    };
    const first = await nextLogin();
    await login.clock.advance(399 * oneDay);

    expect([first, await nextLogin()]).toEqual(Array(2).fill(platform.owner === "the app" ? 10 : "phone_closed"));
  });

  test("L5: of an address are limited a day, over all numbers, and not those of devices that have proven theirs", async () => {
    const limits = { cooldownSeconds: 0, sendsPerPhone: 100, failuresPerAddressPerDay: 3, mode: "enforce" } as const;
    const login = await setUpLogin(platform, { login: { limits } });
    const owner = await login.loggedIn();
    await owner.post("/login/logout");
    await login.clock.advance(1);
    // The right code of the login before has outweighed nothing, since there was nothing.
    const codes = [
      ...(await fail(await login.started({ phone: otherPhone }), login, 2)),
      ...(await fail(await login.started({ phone: "+4915123456781" }), login, 2)),
    ];
    const stranger = await login.started({ phone: otherPhone });
    const refused = await stranger.post("/login/confirm", { code: newestCode(login.service) });
    const state = await stranger.get("/login/state");
    await owner.post("/login/start", { phone });
    const own = [await fail(owner, login, 1), await owner.post("/login/confirm", { code: newestCode(login.service) })];

    expect(codes).toEqual([...Array(3).fill("code_rejected"), "client_limit_reached"]);
    expect([refused.status, refused.json.code, state.json.attemptsLeft]).toEqual([429, "client_limit_reached", 5]);
    expect(secondsToWait(refused)).toBeGreaterThan(86_000);
    expect(own).toMatchObject([["code_rejected"], { json: { status: "logged_in" } }]);
  });

  test("L5: are not used up by codes of a login that another one has superseded", async () => {
    const limits = { cooldownSeconds: 0, sendsPerPhone: 100, failuresPerPhoneInTenMinutes: 2 };
    const login = await setUpLogin(platform, { login: { limits } });
    const overtaken = await login.started();
    await login.loggedIn();
    await login.clock.advance(1);
    const codes = await fail(overtaken, login, 3);
    const browser = await login.started();
    const confirmed = await browser.post("/login/confirm", { code: newestCode(login.service) });

    expect(codes).toEqual(Array(3).fill("no_transaction"));
    expect(confirmed.json.status).toBe("logged_in");
  });

  test("L5: of an address are outweighed by right codes from there, two by each, which count for nothing", async () => {
    const limits = { cooldownSeconds: 0, failuresPerAddressPerDay: 3, mode: "enforce" } as const;
    const login = await setUpLogin(platform, { login: { limits } });
    const outcomes = [];
    for (let person = 0; person < 4; person++) {
      const browser = await login.started({ phone: `+491512345678${person}` });
      outcomes.push(...(await fail(browser, login, 2)));
      outcomes.push((await browser.post("/login/confirm", { code: newestCode(login.service) })).json.status);
    }
    expect(outcomes).toEqual(Array(4).fill(["code_rejected", "code_rejected", "logged_in"]).flat());
  });

  test("L5: a right code that is sent many times at once outweighs at most two wrong ones of its address", async () => {
    const limits = { cooldownSeconds: 0, sendsPerPhone: 100, failuresPerAddressPerDay: 8, mode: "enforce" } as const;
    const login = await setUpLogin(platform, { login: { limits } });
    await fail(await login.started({ phone: otherPhone }), login, 4);
    const browser = await login.started();
    const code = newestCode(login.service);
    const racing = Promise.all([1, 2, 3, 4, 5].map(() => browser.copy().post("/login/confirm", { code })));
    // All but one wait for the lease.
    await advanceUntil(login, racing);
    const codes = [
      ...(await fail(await login.started({ phone: "+4915123456781" }), login, 4)),
      ...(await fail(await login.started({ phone: "+4915123456782" }), login, 4)),
    ];
    // Six, unless the service has approved the code for one request before another asked: that one is a wrong code.
    const rejected = codes.filter((answer) => answer === "code_rejected").length;
    expect(rejected).toBeGreaterThan(1);
    expect(rejected).toBeLessThanOrEqual(6);
  });
});
