import { describe, expect, test } from "vitest";
import { returnAsFormerHolder } from "../attacks/programs/former-holder.ts";
import { forgetDevice, mintDevices } from "../attacks/programs/mint-devices.ts";
import { newestCode, otherPhone, phone, setUpLoggedIn, setUpLogin, wrongCode } from "../support/login-setup.ts";
import { inMemory } from "../support/platforms.ts";

const hour = 3_600_000;
/** The defaults of the kit, as an app that lists its origins has them. */
const defaults = { mode: "enforce" } as const;

describe.each(inMemory)("one number and many devices, on $name, codes of $owner", (platform) => {
  test.each([
    { what: "within minutes", starts: 40, pauseSeconds: 1 },
    { what: "over a day", starts: 60, pauseSeconds: 1400 },
  ])(
    "L33: the number gets no more texts a day than three strangers, however many devices it makes known $what",
    async (pace) => {
      const login = await setUpLogin(platform, { login: { limits: defaults } });
      const texts = await mintDevices(login, phone, pace);
      expect(texts).toBeLessThanOrEqual(login.doorcode.limits.describe().ofNumber.sendsPerDay);
      expect(texts).toBeLessThanOrEqual(3 * 10);
    },
  );

  test("L33: a device is known after its own login only, and not after one that a known device has started", async () => {
    const { browser: known, ...login } = await setUpLoggedIn(platform);
    await login.clock.advance(1000);
    const minted = known.copy();
    await minted.post("/login/start", { phone });
    forgetDevice(minted);
    await minted.post("/login/confirm", { code: newestCode(login.service) });
    await login.clock.advance(1000);
    await minted.post("/login/start", { phone });
    await known.post("/login/start", { phone });

    const started = login.events.filter((event) => event.type === "login.send_decided");
    expect(started.map(({ knownDevice }) => knownDevice)).toEqual([false, true, false, true]);
  });
});

describe.each(inMemory)("the former holder of a number, on $name, codes of $owner", (platform) => {
  test("L33: gets no more texts and compares no more codes than the number has, and its new owner logs in", async () => {
    const login = await setUpLogin(platform, { login: { limits: defaults } });
    const figures = await returnAsFormerHolder(login, phone, { devices: 10, days: 2 });
    expect(figures.maxTextsPerDay).toBeLessThanOrEqual(15);
    expect(figures.guesses).toBeLessThanOrEqual(300);
    expect(figures.ownerSuccesses).toBe(2);
  });
});

describe.each(inMemory)("wrong codes of known devices, on $name, codes of $owner", (platform) => {
  test("L33: count for the address, whoever the device is", async () => {
    const limits = { mode: "enforce" as const, cooldownSeconds: 0, failuresPerAddressPerDay: 3 };
    const { browser, ...login } = await setUpLoggedIn(platform, { login: { limits } });
    await login.clock.advance(1000);
    await browser.post("/login/start", { phone });
    const codes: unknown[] = [];
    for (let attempt = 0; attempt < 4; attempt++) {
      codes.push((await browser.post("/login/confirm", { code: wrongCode(login.service) })).json.code);
    }
    const stranger = await login.started({ phone: otherPhone });
    codes.push((await stranger.post("/login/confirm", { code: wrongCode(login.service) })).json.code);
    expect(codes).toEqual([...Array(3).fill("code_rejected"), ...Array(2).fill("client_limit_reached")]);
  });

  test("L33: close the number to those devices at the limit, which log in like strangers from then on", async () => {
    const limits = { mode: "observe" as const, cooldownSeconds: 0, failuresPerPhone: 5, sendsPerPhone: 100 };
    const { browser, ...login } = await setUpLoggedIn(platform, { login: { limits } });
    await login.clock.advance(1000);
    await browser.post("/login/start", { phone });
    for (let attempt = 0; attempt < 5; attempt++) {
      await browser.post("/login/confirm", { code: wrongCode(login.service) });
    }
    await login.clock.advance(hour);
    const next = await browser.copy().post("/login/start", { phone });
    const decisions = login.events.filter((event) => event.type === "login.send_decided");
    expect([next.status, decisions.at(-1)?.knownDevice]).toEqual([200, false]);
    expect((await browser.post("/login/confirm", { code: newestCode(login.service) })).status).toBe(400);
  });
});

describe.each(inMemory)("a known device, on $name, codes of $owner", (platform) => {
  test("L42: is no factor: neither a login nor a step-up goes without a code because of it", async () => {
    const { browser, ...login } = await setUpLoggedIn(platform, { account: true });
    const fresh = await browser.get("/transfer");
    await login.clock.advance(301_000);
    const stale = await browser.get("/transfer");
    const started = await browser.post("/step-up/start");
    const before = await browser.get("/transfer");
    const confirmed = await browser.post("/step-up/confirm", { code: newestCode(login.service) });
    const after = await browser.get("/transfer");
    const onlyDevice = browser.copy();
    for (const name of onlyDevice.cookies.keys()) if (!name.endsWith("-device")) onlyDevice.cookies.delete(name);

    expect([fresh, stale, started, before, confirmed, after].map(({ status }) => status)).toEqual([
      200, 403, 200, 403, 200, 200,
    ]);
    expect(onlyDevice.cookies.size).toBe(1);
    expect([(await onlyDevice.get("/account")).status, (await onlyDevice.get("/login/state")).json.status]).toEqual([
      401,
      "none",
    ]);
  });
});
