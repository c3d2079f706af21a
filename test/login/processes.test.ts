import { describe, expect, test } from "vitest";
import { type Browser, openBrowser } from "../support/browser.ts";
import {
  type LoginSetup,
  type LoginSetupOptions,
  newestCode,
  phone,
  setUpLogin,
  wrongCode,
} from "../support/login-setup.ts";
import { openPlatforms } from "../support/platforms.ts";

const { pairwise } = await openPlatforms();

describe.each(pairwise)("a login across two processes on $name, codes of $owner", (platform) => {
  /** Starts two processes of one app, each with its own client of the store; both use one service. */
  async function setUpTwo(options: LoginSetupOptions = {}) {
    const app = platform.deploy();
    const first = await setUpLogin(platform, { app, ...options });
    const second = await setUpLogin(platform, { app, service: first.service, ...options });
    return { first, second, service: first.service };
  }

  /** The same browser, which a load balancer sends to another process. */
  const at = ({ url }: LoginSetup, { cookies }: Browser) => openBrowser(url, cookies);

  test("starts on one process, counts attempts on both, completes on the other, and is then over on both", async () => {
    const { first, second, service } = await setUpTwo();
    const browser = await first.started();
    const earlier = browser.copy();
    const code = newestCode(service);
    const tries = [
      await browser.post("/login/confirm", { code: wrongCode(service) }),
      await at(second, browser).post("/login/confirm", { code: wrongCode(service) }),
    ];
    const confirmed = await at(second, browser).post("/login/confirm", { code });

    expect(tries.map(({ json }) => json.attemptsLeft)).toEqual([4, 3]);
    expect(confirmed.json).toMatchObject({ status: "logged_in", userId: `user of ${phone}` });
    expect((await browser.get("/account")).status).toBe(200);
    expect((await earlier.post("/login/confirm", { code })).json.code).toBe("no_transaction");
    expect([first.logins.length, second.logins.length]).toEqual([0, 1]);
  });

  test("L14, L15: both processes share the number's budget of sends", async () => {
    const limits = { cooldownSeconds: 0, sendsPerPhone: 3 };
    const { first, second, service } = await setUpTwo({ login: { limits } });
    const starts = [];
    for (const { open } of [first, second, first, second]) {
      starts.push(await open().post("/login/start", { phone }));
    }

    expect(starts.map(({ json }) => json.code ?? json.status)).toEqual([
      "code_sent",
      "code_sent",
      "code_sent",
      "send_limit_reached",
    ]);
    expect(service.created).toHaveLength(3);
  });
});
