import { DoorcodeError } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { newestCode, otherPhone, phone, setUpLoggedIn, setUpLogin } from "../support/login-setup.ts";
import { inMemory } from "../support/platforms.ts";

describe.each(inMemory)("links and step-ups on $name, codes of $owner", (platform) => {
  /** Starts an app with its account pages, and notes the numbers that it links to users. */
  async function setUpAccount() {
    const linked: { userId: string; phone: string }[] = [];
    const login = await setUpLogin(platform, {
      account: true,
      login: {
        onLink: ({ userId, phone: proven }) => {
          linked.push({ userId, phone: proven });
          return userId;
        },
        phoneOf: (userId) => userId.replace("user of ", ""),
      },
    });
    return { ...login, linked };
  }

  test("a link does not make the session longer", async () => {
    const { browser, service, clock } = await setUpLoggedIn(platform, {
      account: true,
      login: { phoneOf: () => undefined },
    });
    await clock.advance((1_209_600 - 60) * 1000);
    await browser.post("/link/start", { phone: otherPhone });
    const linked = await browser.post("/link/confirm", { code: newestCode(service) });
    const inTime = await browser.get("/account");
    await clock.advance(60_000);

    expect(linked.headers.getSetCookie().join()).toMatch(/session=[^;]+; Max-Age=60;/);
    expect([inTime.status, (await browser.get("/account")).status]).toEqual([200, 401]);
  });

  test("a step-up sends to the account's number, ignores the number in the body, and renews the proof", async () => {
    const { loggedIn, service, clock } = await setUpAccount();
    const browser = await loggedIn();
    await clock.advance(300_000);
    const fresh = await browser.get("/transfer");
    await clock.advance(1);
    const old = await browser.get("/transfer");
    await browser.post("/step-up/start", { phone: otherPhone });
    const proven = await browser.post("/step-up/confirm", { code: newestCode(service) });
    const renewed = await browser.get("/transfer");

    expect([fresh.status, old.status, old.json.code, renewed.status]).toEqual([200, 403, "proof_required", 200]);
    expect(proven.json.userId).toBe(`user of ${phone}`);
    expect(service.created.at(-1)?.recipient).toBe(phone);
  });

  test("L6: the id of one purpose's login, planted in the cookie of another purpose, is not found", async () => {
    const { loggedIn, service, linked, logins } = await setUpAccount();
    const browser = await loggedIn();
    await browser.post("/link/start", { phone: otherPhone });
    const [linkCookie = "", id = ""] = [...browser.cookies].find(([name]) => name.endsWith("link-transaction")) ?? [];
    browser.cookies.set(linkCookie.replace("-link-transaction", "-transaction"), id);
    const refused = await browser.post("/login/confirm", { code: newestCode(service) });

    expect(refused.json.code).toBe("no_transaction");
    expect([linked.length, logins.length]).toEqual([0, 1]);
  });

  test.each([undefined, null, ""])("a step-up of an account whose number is %j sends nothing", async (known) => {
    const { browser, service } = await setUpLoggedIn(platform, {
      account: true,
      login: { phoneOf: () => known },
    });
    const sent = service.created.length;
    const answer = await browser.post("/step-up/start", { phone });
    expect([answer.status, answer.json.code]).toEqual([400, "phone_invalid"]);
    expect(answer.json.detail).toContain("account");
    expect(service.created).toHaveLength(sent);
  });

  test.each(["+49 (0)151 23456789", "0049-151-23456789"])(
    "a step-up reads the account's number %s in any international spelling",
    async (known) => {
      const { browser, service, clock } = await setUpLoggedIn(platform, {
        account: true,
        login: { phoneOf: () => known },
      });
      await clock.advance(1);
      await browser.post("/step-up/start");
      const proven = await browser.post("/step-up/confirm", { code: newestCode(service) });
      expect([service.created.at(-1)?.recipient, proven.json.status]).toEqual([phone, "logged_in"]);
    },
  );

  test.each([undefined, null])(
    "onLink returning %j refuses the link and ends it, and the session stays",
    async (answer) => {
      const { browser, service } = await setUpLoggedIn(platform, {
        account: true,
        login: { onLink: () => answer },
      });
      await browser.post("/link/start", { phone: otherPhone });
      const code = newestCode(service);
      const refused = await browser.copy().post("/link/confirm", { code });
      const again = await browser.post("/link/confirm", { code });

      expect([refused.status, refused.json.code, again.json.code]).toEqual([403, "login_refused", "no_transaction"]);
      expect((await browser.get("/account")).status).toBe(200);
    },
  );

  test("an error of the kit in onLink or phoneOf names the function, and is not the answer", async () => {
    const failing = { now: false };
    const thrown = () => {
      throw new DoorcodeError("service_rate_limited");
    };
    const { browser, service, events, clock } = await setUpLoggedIn(platform, {
      account: true,
      login: { onLink: thrown, phoneOf: () => (failing.now ? thrown() : phone) },
    });
    await browser.post("/link/start", { phone: otherPhone });
    const link = await browser.post("/link/confirm", { code: newestCode(service) });
    await clock.advance(1);
    await browser.post("/step-up/start");
    failing.now = true;
    const stepUp = await browser.post("/step-up/confirm", { code: newestCode(service) });

    expect([link.json.code, stepUp.json.code]).toEqual(["login_unfinished", "login_unfinished"]);
    expect(events.filter(({ type }) => type === "login.unfinished")).toMatchObject([
      { error: { message: expect.stringMatching(/^login\.onLink /) } },
      { error: { message: expect.stringMatching(/^login\.phoneOf /) } },
    ]);
  });
});
