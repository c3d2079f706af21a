import crypto, { createSecretKey } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { LoginCode } from "../src/codes/code-strategy.ts";
import { serviceCodes } from "../src/codes/service-codes.ts";
import { createDoorcode } from "../src/create-doorcode.ts";
import { doorcodeParts } from "../src/doorcode-parts.ts";
import type { LoginDeps } from "../src/login/login-deps.ts";
import { createManualClock } from "../src/testing.ts";
import { deriveCodeKeys, isSameText } from "../src/util/keys.ts";
import { importSigningSecrets, verifyDelivery } from "../src/webhooks/signature.ts";

const keys = deriveCodeKeys(["p".repeat(32), "q".repeat(32)]);
const digest = keys.digest(["a", "111111"]);
const signature = { "x-webhook-timestamp": "1000", "x-webhook-signature": `v1=${"a".repeat(64)}` };
const check = {
  keys: [...importSigningSecrets(["whk_new"]), createSecretKey(Buffer.from("whk_old"))],
  toleranceSeconds: 300,
  nowMilliseconds: 1_000_000,
};

const phone = "+4915100000007";
const loginCode: LoginCode = {
  transactionKey: "key",
  loginId: "login_1",
  purpose: "login",
  phone,
  sends: 1,
  codeNumber: 1,
  codeKey: "",
  codeSeed: "",
};

function loginWithTestNumber(): LoginDeps {
  const { login } = createDoorcode({
    clock: createManualClock(Date.UTC(2026, 8, 21)),
    service: { baseUrl: "https://service.example", apiKey: "key_123" },
    login: {
      password: "p".repeat(32),
      countries: ["DE"],
      codes: serviceCodes({ template: "login" }),
      testNumbers: { numbers: { [phone]: "111111" }, until: "2026-09-22" },
    },
  })[doorcodeParts];
  if (!login) throw new Error("The kit has no login.");
  return login;
}

beforeEach(() => {
  vi.spyOn(crypto, "timingSafeEqual");
  syncBuiltinESMExports();
});

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

describe("secrets are compared in constant time, and nothing else decides", () => {
  test.each([
    { what: "a code of the app", equal: () => isSameText("111111", "222222"), comparisons: 1 },
    {
      what: "the digest of a code, under every key",
      equal: () => keys.matches(["a", "222222"], digest),
      comparisons: 2,
    },
    {
      what: "the signature of a delivery, under the first key that matches",
      equal: () => verifyDelivery({ headers: signature, body: Buffer.from("{}") }, check) === undefined,
      comparisons: 2,
    },
  ])("$what", ({ equal, comparisons }) => {
    const compare = vi.mocked(crypto.timingSafeEqual);
    expect(equal()).toBe(false);
    expect(compare).toHaveBeenCalledTimes(comparisons);
    for (const [left, right] of compare.mock.calls) expect(left.byteLength).toBe(right.byteLength);

    // An answer that the comparison did not give would show that something else compares as well.
    compare.mockReturnValueOnce(true);
    expect(equal()).toBe(true);
  });

  test("the fixed code of a test number", async () => {
    const { codes } = loginWithTestNumber();
    const checkWrongCode = () => codes.check("222222", loginCode);
    const compare = vi.mocked(crypto.timingSafeEqual);
    expect(await checkWrongCode()).toBe("wrong");
    expect(compare).toHaveBeenCalledTimes(1);
    compare.mockReturnValueOnce(true);
    expect(await checkWrongCode()).toBe("right");
  });
});
