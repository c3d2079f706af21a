import { describe, expect, test } from "vitest";
import { interceptStore } from "../support/intercepted-store.ts";
import { newestCode, phone, setUpLogin } from "../support/login-setup.ts";
import { openPlatforms } from "../support/platforms.ts";

const { everyStore } = await openPlatforms();

describe.each(everyStore(1))("a request that lost its login to another one on $name, codes of $owner", (platform) => {
  test("a resend that was suspended under its lease changes nothing, sends nothing and uses no budget", async () => {
    const app = platform.deploy();
    const working = app.connect();
    let suspends = true;
    const store = interceptStore(app.connect(), async ({ what, keys: [key = ""] }, ask) => {
      if (suspends && what === "settle transaction") {
        suspends = false;
        await app.passTime(15_000);
        await working.lease(key, "another process", { leaseSeconds: 1, ttlSeconds: 600 });
      }
      return ask();
    });
    const limits = { cooldownSeconds: 0, sendsPerPhone: 2 };
    const { started, service } = await setUpLogin(platform, { app, store, login: { limits } });
    const browser = await started();
    const overtaken = await browser.post("/login/resend");
    const sent = service.created.length;
    await app.passTime(1000);
    const again = await browser.post("/login/resend");
    const confirmed = await browser.post("/login/confirm", { code: newestCode(service) });

    expect([overtaken.status, overtaken.json.code, overtaken.headers.get("retry-after")]).toEqual([
      503,
      "transaction_busy",
      "1",
    ]);
    expect([sent, again.status]).toEqual([1, 200]);
    expect(confirmed.json).toMatchObject({ status: "logged_in", userId: `user of ${phone}` });
  });
});
