import crypto, { createSecretKey } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { deriveCodeKeys } from "../src/primitives/keys.ts";
import { importSigningSecrets, verifyDelivery } from "../src/webhook/signature.ts";

const keys = deriveCodeKeys(["p".repeat(32), "q".repeat(32)]);
const digest = keys.digest(["a", "111111"]);
const signature = { "x-webhook-timestamp": "1000", "x-webhook-signature": `v1=${"a".repeat(64)}` };
const check = {
  keys: [...importSigningSecrets(["whk_new"]), createSecretKey(Buffer.from("whk_old"))],
  toleranceSeconds: 300,
  nowMilliseconds: 1_000_000,
};

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
    { what: "a code of the app", equal: () => keys.isSameCode("111111", "222222"), comparisons: 1 },
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
});
