import { createHmac, hkdfSync } from "node:crypto";
import type { Store } from "@doorcode/core/store";
import { describe, expect, test } from "vitest";
import { deriveCodeKeys } from "../../packages/core/src/util/keys.ts";
import type { Deployment } from "../support/deployment.ts";
import { appOwned, newestCode, password, phone, setUpLogin, setUpStarted, wrongCode } from "../support/login-setup.ts";
import { inMemory, ownTexts } from "../support/platforms.ts";

/** Wraps the store of an app: it notes everything that is written, and a test can replace what is read. */
function recordStore(app: Deployment) {
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

describe.each([...inMemory, ...ownTexts])("codes at rest on $name, codes of $owner", (platform) => {
  test("L9: writes neither a code nor an unkeyed digest of one to the store", async () => {
    const { app, store, written } = recordStore(platform.deploy());
    const { browser, service } = await setUpStarted(platform, { app, store });
    const code = newestCode(service);
    await browser.post("/login/confirm", { code });

    expect(written.join("\n")).not.toContain(code);
    for (const encoding of ["hex", "base64", "base64url"] as const) {
      expect(written.join("\n")).not.toContain(createHmac("sha256", "").update(code).digest(encoding));
    }
  });

  test.each([
    ["a missing entry", () => undefined],
    ["an empty entry", () => ""],
    ["an entry that is not JSON", () => "{"],
    ["an entry with other members", () => '{"phone":"+4915123456789"}'],
  ])("L7: %s is refused like a login that does not exist", async (_what, value) => {
    const { app, store, rewrite } = recordStore(platform.deploy());
    const { browser, service, logins } = await setUpStarted(platform, { app, store });
    rewrite.value = value;
    const answer = await browser.post("/login/confirm", { code: newestCode(service) });

    expect(answer.json.code).toBe("no_transaction");
    expect([logins.length, service.confirmations.length]).toEqual([0, 0]);
  });

  test("L7: an empty stored approval matches no code", async () => {
    const { app, store, written } = recordStore(platform.deploy());
    const { browser, service, logins } = await setUpStarted(platform, { app, store });
    const [transactionKey] = (written.find((entry) => entry.includes("codeSeed")) ?? "").split(" ");
    await store.put(`${transactionKey}:approved`, "", { ttlSeconds: 60 });
    const answer = await browser.post("/login/confirm", { code: wrongCode(service) });

    expect(answer.json.code).toBe("code_rejected");
    expect(logins).toHaveLength(0);
  });
});

describe.each(inMemory)("codes of the app on $name", (platform) => {
  const { codes } = appOwned;

  test("L9: a code is derived from transaction, number, purpose and a seed, under a key of its own", async () => {
    const { app, store, written } = recordStore(platform.deploy());
    const { started, service } = await setUpLogin(platform, { app, codes, store });
    await started();
    const [key = "", record = ""] = written.find((entry) => entry.includes("codeSeed"))?.split(/ (.*)/s) ?? [];
    const { codeSeed } = JSON.parse(record);
    const codeKey = Buffer.from(hkdfSync("sha256", password, "", "doorcode derived code", 32));
    const digest = createHmac("sha256", codeKey)
      .update(JSON.stringify([key, phone, "login", codeSeed, "1"]))
      .digest();

    expect(codeSeed).toMatch(/^[\w-]{22}$/);
    expect(newestCode(service)).toBe(String(digest.readBigUInt64BE() % 1_000_000n).padStart(6, "0"));
  });

  test("L9: accepts a code sent under an old password for as long as that password is listed", async () => {
    const app = platform.deploy();
    const [old, fresh] = ["o".repeat(32), "f".repeat(32)];
    const setUp = (...passwords: string[]) =>
      setUpLogin(platform, { app, codes, options: { session: { password: passwords } } });
    const before = await setUp(old);
    const browser = await before.started();
    const rotated = await setUp(fresh, old);
    const moved = rotated.open();
    for (const [name, value] of browser.cookies) moved.cookies.set(name, value);
    const answer = await moved.post("/login/confirm", { code: newestCode(before.service) });

    expect(answer.json.status).toBe("logged_in");
  });
});

test("L9: codes are uniform from 000000 to 999999", () => {
  const keys = deriveCodeKeys([password]);
  const buckets = new Array<number>(100).fill(0);
  const draws = 100_000;
  let malformed = false;
  for (let draw = 0; draw < draws; draw++) {
    const code = keys.deriveCode(keys.newestName, [String(draw)], 6) ?? "";
    malformed ||= !/^\d{6}$/.test(code);
    const bucket = Math.floor(Number(code) / 10_000);
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
  }
  expect(malformed).toBe(false);
  const expected = draws / buckets.length;
  const chiSquare = buckets.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // 99 degrees of freedom: a uniform source exceeds 180 less than once in a million runs.
  expect(chiSquare).toBeLessThan(180);
});
