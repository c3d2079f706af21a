import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { newestCode, phone, setUpLogin, strategies, wrongCode } from "../support/login-bench.ts";
import { setUpRedis } from "./redis-bench.ts";

describe.each(hosts)("a login on $name, kept in Redis", (host) => {
  test.each(strategies)(
    "is started, tried, confirmed, guarded and ended, when $owner owns the code",
    async ({ codes }) => {
      const { store, server } = await setUpRedis();
      const { started, service, logins } = await setUpLogin(host, { codes, store });
      const browser = await started();
      const wrong = await browser.post("/login/confirm", { code: wrongCode(service) });
      const right = await browser.post("/login/confirm", { code: newestCode(service) });
      const account = await browser.get("/account");
      const thief = browser.copy();
      await browser.post("/login/logout");

      expect([wrong.json.code, right.json.status, account.status]).toEqual(["code_rejected", "logged_in", 200]);
      expect((await thief.get("/account")).status).toBe(401);
      expect(logins.map((login) => login.phone)).toEqual([phone]);
      const keys = await server.admin.keys("*");
      const lifetimes = await Promise.all(keys.map((key) => server.admin.pttl(key)));
      expect(keys.length).toBeGreaterThan(0);
      expect(lifetimes.filter((milliseconds) => milliseconds < 0)).toEqual([]);
    },
  );

  test("five of fifty wrong codes that race are judged", async () => {
    const { store } = await setUpRedis();
    const { started, service } = await setUpLogin(host, { store });
    const browser = await started();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => browser.copy().post("/login/confirm", { code: wrongCode(service) })),
    );
    expect(answers.filter(({ json }) => json.code === "code_rejected")).toHaveLength(5);
    expect(service.confirmations).toHaveLength(5);
  });

  test("fails closed with 503 and Retry-After while Redis is down, tells no number, and goes on when it is back", async () => {
    const { store, server } = await setUpRedis({ settings: ["--appendonly", "yes", "--appendfsync", "always"] });
    const { started, service, events } = await setUpLogin(host, { store });
    const browser = await started();
    await server.kill();
    const down = await browser.post("/login/confirm", { code: newestCode(service) });
    await server.restart();
    await expect
      .poll(
        () =>
          store.get([]).then(
            () => true,
            () => false,
          ),
        { timeout: 10_000 },
      )
      .toBe(true);
    const up = await browser.post("/login/confirm", { code: newestCode(service) });

    expect([down.status, down.json.code, down.headers.get("retry-after")]).toEqual([503, "store_unavailable", "1"]);
    expect(up.json.status).toBe("logged_in");
    const failures = events.filter(({ type }) => type === "store.failed");
    expect(failures.length).toBeGreaterThan(0);
    expect(inspect(failures, { depth: null, showHidden: true })).not.toContain(phone.slice(1));
  });
});
