import { createDoorcode } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { type Deployment, deployOn } from "../support/deployment.ts";
import { createFailingStore } from "../support/failing-store.ts";
import { newestCode, password, phone, setUpLoggedIn, setUpStarted } from "../support/login-setup.ts";
import { inMemory } from "../support/platforms.ts";

/** Returns how many sessions the user of the tests has, as another process of the app sees them. */
async function countSessions({ name, clock, connect }: Deployment): Promise<number> {
  const { session } = createDoorcode({ name, clock, store: connect(), session: { password } });
  return (await session.list(`user of ${phone}`)).length;
}

describe.each(inMemory)("a session that was started for a login on $name, codes of $owner", (platform) => {
  test.each([
    { what: "mark the login as done", call: "settle transaction" },
    { what: "end the number's other logins", call: "put superseded" },
  ])("ends again if the store cannot $what, and the same code logs in later", async ({ call }) => {
    const app = deployOn(platform);
    const failing = createFailingStore(app);
    const { browser, service, events } = await setUpStarted(platform, { app, store: failing.store });
    const code = newestCode(service);
    failing.failOn(({ what }) => what === call);
    const failed = await browser.post("/login/confirm", { code });
    const left = await countSessions(app);
    failing.repair();
    await app.passTime(15_000);
    const again = await browser.post("/login/confirm", { code });

    expect([failed.status, failed.json.code, failed.headers.getSetCookie()]).toEqual([503, "store_unavailable", []]);
    expect(left).toBe(0);
    expect([again.json.status, await countSessions(app)]).toEqual(["logged_in", 1]);
    expect(events.filter(({ type }) => type === "login.completed")).toHaveLength(1);
  });

  test("is not there to end if the app refused the login: the failure of the store is the answer", async () => {
    const app = deployOn(platform);
    const failing = createFailingStore(app);
    const login = { onLogin: () => undefined };
    const { browser, service } = await setUpStarted(platform, { app, store: failing.store, login });
    const code = newestCode(service);
    failing.failOn(({ what }) => what === "settle transaction");
    const failed = await browser.post("/login/confirm", { code });
    failing.repair();
    await app.passTime(15_000);
    const again = await browser.post("/login/confirm", { code });

    expect([failed.json.code, again.json.code]).toEqual(["store_unavailable", "login_refused"]);
  });

  test("stays if the store cannot end the session that the browser had before", async () => {
    const app = deployOn(platform);
    const failing = createFailingStore(app);
    const { browser, service, clock, events } = await setUpLoggedIn(platform, { app, store: failing.store });
    await clock.advance(1);
    await browser.post("/login/start", { phone });
    failing.failOn(({ what }) => what === "delete session");
    const confirmed = await browser.post("/login/confirm", { code: newestCode(service) });
    failing.repair();

    expect([confirmed.status, (await browser.get("/account")).status]).toEqual([200, 200]);
    expect(events.filter(({ type }) => type === "login.completed")).toHaveLength(2);
  });
});
