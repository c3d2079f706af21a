import { describe, expect, test } from "vitest";
import { secondsToWait } from "../support/browser.ts";
import { otherPhone, phone, setUpLogin } from "../support/login-setup.ts";
import { openPlatforms } from "../support/platforms.ts";

const { everyStore } = await openPlatforms();

describe.each(everyStore(0))("the windows of a number's limits on $name, codes of $owner", (platform) => {
  test("the cooldown of one number holds up no other number", async () => {
    const { open } = await setUpLogin(platform, { login: { limits: { cooldownSeconds: 30 } } });
    const first = await open().post("/login/start", { phone });
    const again = await open().post("/login/start", { phone });
    const other = await open().post("/login/start", { phone: otherPhone });
    expect([first.status, again.json.code, other.status]).toEqual([200, "cooldown", 200]);
  });

  test("a refused start says how much of the window is left", async () => {
    const limits = { cooldownSeconds: 0, sendsPerPhone: 1, sendWindowSeconds: 3600 };
    const { open, started, clock } = await setUpLogin(platform, { login: { limits } });
    await started();
    await clock.advance(3_000_000);
    const refused = await open().post("/login/start", { phone });
    expect(refused.json.code).toBe("send_limit_reached");
    expect(secondsToWait(refused)).toBeCloseTo(600, -1);
  });

  test("a start that the limits never allow says the whole window", async () => {
    const limits = { cooldownSeconds: 0, sendsPerPhone: 0, sendWindowSeconds: 3600 };
    const { open } = await setUpLogin(platform, { login: { limits } });
    const refused = await open().post("/login/start", { phone });
    expect([refused.json.code, secondsToWait(refused)]).toEqual(["send_limit_reached", 3600]);
  });

  test("a send that failed makes the window no longer", async () => {
    const limits = { cooldownSeconds: 0, sendsPerPhone: 2, sendWindowSeconds: 3600 };
    const { open, started, service, clock } = await setUpLogin(platform, { login: { limits } });
    await started();
    await clock.advance(3_000_000);
    service.onCreate = () => ({ status: 422, body: {} });
    const failed = await open().post("/login/start", { phone });
    service.onCreate = () => undefined;
    await clock.advance(601_000);
    await started();
    const second = await open().post("/login/start", { phone });
    expect([failed.json.code, second.status]).toEqual(["send_failed", 200]);
  });
});
