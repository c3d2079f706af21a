import { createHmac, hkdfSync } from "node:crypto";
import { appCodes } from "@doorcode/core";
import type { Store } from "@doorcode/core/store";
import { describe, expect, test } from "vitest";
import type { Deployment } from "../support/deployment.ts";
import { newestCode, password, phone, setUpLogin, wrongCode } from "../support/login-bench.ts";
import { places } from "../support/places.ts";
import { cases } from "./cases.ts";

/** A store that remembers everything that was written to it, and may be tampered with. */
function openStore(app: Deployment) {
  const inner = app.connect();
  const written: string[] = [];
  const rewrite: { value?: (text: string) => string | undefined } = {};
  const store: Store = {
    ...inner,
    async get(keys) {
      const values = await inner.get(keys);
      return values.map((value) => (value !== undefined && rewrite.value ? rewrite.value(value) : value));
    },
    async put(key, value, options) {
      written.push(`${key} ${value}`);
      await inner.put(key, value, options);
    },
    async settle(key, token, value, options) {
      written.push(`${key} ${value}`);
      return inner.settle(key, token, value, options);
    },
  };
  return { app, store, written, rewrite };
}

describe.each(cases)("codes at rest on $place.name, owned by $owner", ({ place, codes }) => {
  test("L9: no code, and no plain digest of one, is ever written to the store", async () => {
    const { app, store, written } = openStore(place.deploy());
    const { started, service } = await setUpLogin(place, { app, codes, store });
    const browser = await started();
    const code = newestCode(service);
    await browser.post("/login/confirm", { code });

    expect(written.join("\n")).not.toContain(code);
    for (const encoding of ["hex", "base64", "base64url"] as const) {
      expect(written.join("\n")).not.toContain(createHmac("sha256", "").update(code).digest(encoding));
    }
  });

  test.each([
    ["a missing record", () => undefined],
    ["an empty record", () => ""],
    ["a record that is no JSON", () => "{"],
    ["a record of another shape", () => '{"phone":"+4915123456789"}'],
  ])("L7: %s refuses as one that was never there", async (_what, value) => {
    const { app, store, rewrite } = openStore(place.deploy());
    const { started, service, logins } = await setUpLogin(place, { app, codes, store });
    const browser = await started();
    rewrite.value = value;
    const answer = await browser.post("/login/confirm", { code: newestCode(service) });

    expect(answer.json.code).toBe("no_transaction");
    expect([logins.length, service.confirmations.length]).toEqual([0, 0]);
  });

  test("L7: an empty stored digest is right for no code", async () => {
    const { app, store, rewrite } = openStore(place.deploy());
    const { started, service, logins } = await setUpLogin(place, { app, codes, store });
    const browser = await started();
    rewrite.value = (text) => JSON.stringify({ ...JSON.parse(text), digest: "", approved: "" });
    const answer = await browser.post("/login/confirm", { code: wrongCode(service) });

    expect(answer.json.code).toBe("code_rejected");
    expect(logins).toHaveLength(0);
  });
});

describe.each(places)("codes of the app on $name", (place) => {
  test("L9: the digest is an HMAC over transaction, number, purpose and code under a key for nothing else", async () => {
    const { app, store, written } = openStore(place.deploy());
    const { started, service } = await setUpLogin(place, { app, codes: appCodes(), store });
    await started();
    const [key, record] = (written.at(-1) ?? "").split(/ (.*)/s) as [string, string];
    const codeKey = Buffer.from(hkdfSync("sha256", password, "", "doorcode code", 32));
    const parts = JSON.stringify([key, phone, "login", newestCode(service)]);

    expect(JSON.parse(record).digest).toBe(createHmac("sha256", codeKey).update(parts).digest("base64url"));
  });

  test("L9: after the password was changed, a code under the old one is right while the old one is listed", async () => {
    const app = place.deploy();
    const [old, fresh] = ["o".repeat(32), "f".repeat(32)];
    const setUp = (...passwords: string[]) =>
      setUpLogin(place, { app, codes: appCodes(), options: { session: { password: passwords } } });
    const before = await setUp(old);
    const browser = await before.started();
    const rotated = await setUp(fresh, old);
    const moved = rotated.open();
    for (const [name, value] of browser.cookies) moved.cookies.set(name, value);
    const answer = await moved.post("/login/confirm", { code: newestCode(before.service) });

    expect(answer.json.status).toBe("logged_in");
  });
});

test("L9: codes are uniform over 000000 to 999999", async () => {
  const { newCode } = await import("../../packages/core/src/login/app-codes.ts");
  const buckets = new Array<number>(100).fill(0);
  const draws = 100_000;
  for (let draw = 0; draw < draws; draw++) {
    const code = newCode(6);
    expect(code.length).toBe(6);
    const bucket = Math.floor(Number(code) / 10_000);
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
  }
  const expected = draws / buckets.length;
  const chiSquare = buckets.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // 99 degrees of freedom: a uniform source exceeds 180 less than once in a million runs.
  expect(chiSquare).toBeLessThan(180);
});
