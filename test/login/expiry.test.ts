import { describe, expect, test } from "vitest";
import { newestCode, setUpLogin } from "../support/login-setup.ts";
import { openPlatforms } from "../support/platforms.ts";

const { pairwise } = await openPlatforms();

const lifetimeSeconds = { "the service": 600, "the app": 300 };

describe.each(pairwise)("L8: the expiry of codes on $name, codes of $owner", (platform) => {
  const ttlSeconds = lifetimeSeconds[platform.owner];

  test.each([
    { after: "one second before its expiry", seconds: ttlSeconds - 1, outcome: "logged_in" },
    { after: "at its expiry", seconds: ttlSeconds, outcome: "code_expired" },
    { after: "one day after its expiry", seconds: ttlSeconds + 86_400, outcome: "no_transaction" },
  ])("a right code $after gives $outcome", async ({ seconds, outcome }) => {
    const { started, service, clock } = await setUpLogin(platform);
    const browser = await started();
    await clock.advance(seconds * 1000);
    const answer = await browser.post("/login/confirm", { code: newestCode(service) });
    expect(answer.json.code ?? answer.json.status).toBe(outcome);
  });

  test("a resent code has its whole lifetime", async () => {
    const { started, service, clock } = await setUpLogin(platform);
    const browser = await started();
    await clock.advance((ttlSeconds - 1) * 1000);
    await browser.post("/login/resend");
    await clock.advance((ttlSeconds - 1) * 1000);
    const answer = await browser.post("/login/confirm", { code: newestCode(service) });

    expect(answer.json.status).toBe("logged_in");
    expect(service.confirmations.every(({ id }) => id === "ver_2")).toBe(true);
  });

  test("a login ends after one hour, however often its code is resent", async () => {
    const { started, service, clock } = await setUpLogin(platform);
    const browser = await started();
    for (let elapsed = 0; elapsed < 3600; elapsed += 240) {
      await browser.post("/login/resend");
      await clock.advance(240_000);
    }
    const answer = await browser.post("/login/confirm", { code: newestCode(service) });
    expect(answer.json.code).toBe("code_expired");
  });
});
