import { systemClock } from "@doorcode/core/clock";
import { describe, expect, test } from "vitest";
import { type Browser, openBrowser } from "../support/browser.ts";
import {
  type LoginBench,
  type LoginBenchOptions,
  newestCode,
  phone,
  setUpLogin,
  wrongCode,
} from "../support/login-bench.ts";
import { cases } from "./cases.ts";

describe.each(cases)("a login across two processes on $place.name, codes owned by $owner", ({ place, codes }) => {
  /** Two processes of one app, each with a client of its own, and the service that both ask. */
  async function setUpTwo(options: LoginBenchOptions = {}) {
    const app = place.deploy();
    const first = await setUpLogin(place, { app, codes, ...options });
    const second = await setUpLogin(place, { app, codes, service: first.service, ...options });
    return { first, second, service: first.service };
  }

  /** The same browser, sent to another process by whatever stands in front of them. */
  const at = ({ url }: LoginBench, { cookies }: Browser) => openBrowser(url, cookies);

  test("is begun on one, tried on both, confirmed on the other, and then over on both", async () => {
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

  test("L2: of 100 wrong codes that race to both exactly 5 are judged", { timeout: 30_000 }, async () => {
    const { first, second, service } = await setUpTwo();
    const browser = await first.started();
    const code = wrongCode(service);
    const rivals = Array.from({ length: 100 }, (_, index) => at(index % 2 ? second : first, browser.copy()));
    const answers = await Promise.all(rivals.map((rival) => rival.post("/login/confirm", { code })));

    expect(answers.filter(({ json }) => json.code === "code_rejected")).toHaveLength(5);
    expect(answers.filter(({ json }) => json.code === "attempts_exhausted")).toHaveLength(95);
  });

  test("L2: of 100 right codes that race to both exactly one logs in", { timeout: 30_000 }, async () => {
    const { first, second, service } = await setUpTwo({ options: { clock: systemClock } });
    const browser = await first.started();
    const code = newestCode(service);
    const rivals = Array.from({ length: 100 }, (_, index) => at(index % 2 ? second : first, browser.copy()));
    const answers = await Promise.all(rivals.map((rival) => rival.post("/login/confirm", { code })));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect([...first.logins, ...second.logins]).toHaveLength(1);
  });

  test("L14, L15: codes sent by both share the number's budget", async () => {
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

  test("L21: a logout on one makes every copy of the cookie worthless on the other", async () => {
    const { first, second } = await setUpTwo();
    const browser = await first.loggedIn();
    const copy = at(second, browser.copy());
    const before = await copy.get("/account");
    await browser.post("/login/logout");

    expect([before.status, (await copy.get("/account")).status]).toEqual([200, 401]);
  });
});
