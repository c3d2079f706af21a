import { describe, expect, test } from "vitest";
import { newestCode, setUpLogin } from "../support/login-bench.ts";
import { cases } from "./cases.ts";

const lifetimes: Readonly<Record<string, number>> = { "the service": 600, "the app": 300 };

describe.each(cases)("L8: expiry on $place.name, codes owned by $owner", ({ place, codes, owner }) => {
  const ttlSeconds = lifetimes[owner] ?? expect.fail("An owner without a lifetime.");

  test.each([
    { after: "a second before its end", seconds: ttlSeconds - 1, outcome: "logged_in" },
    { after: "at its end", seconds: ttlSeconds, outcome: "no_transaction" },
    { after: "a day after its end", seconds: ttlSeconds + 86_400, outcome: "no_transaction" },
  ])("a right code $after is answered with $outcome", async ({ seconds, outcome }) => {
    const { started, service, clock } = await setUpLogin(place, { codes });
    const browser = await started();
    await clock.advance(seconds * 1000);
    const answer = await browser.post("/login/confirm", { code: newestCode(service) });
    expect(answer.json.code ?? answer.json.status).toBe(outcome);
  });

  test("another code lives its whole time, and the one before it is wrong", async () => {
    const { started, service, clock } = await setUpLogin(place, { codes });
    const browser = await started();
    await clock.advance((ttlSeconds - 1) * 1000);
    await browser.post("/login/resend");
    await clock.advance((ttlSeconds - 1) * 1000);
    const answer = await browser.post("/login/confirm", { code: newestCode(service) });

    expect(answer.json.status).toBe("logged_in");
    expect(service.confirmations.every(({ id }) => id === "ver_2")).toBe(true);
  });

  test("however often a code is sent again, a transaction ends after an hour", async () => {
    const { started, service, clock } = await setUpLogin(place, { codes });
    const browser = await started();
    for (let elapsed = 0; elapsed < 3600; elapsed += 240) {
      await browser.post("/login/resend");
      await clock.advance(240_000);
    }
    const answer = await browser.post("/login/confirm", { code: newestCode(service) });
    expect(answer.json.code).toBe("no_transaction");
  });
});
