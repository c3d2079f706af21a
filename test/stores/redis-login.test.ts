import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { newestCode, phone, setUpLogin } from "../support/login-bench.ts";
import { setUpRedis } from "./redis-bench.ts";

describe.each(hosts)("a login on $name, kept in Redis", (host) => {
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
