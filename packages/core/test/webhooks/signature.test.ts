import { afterEach, describe, expect, test, vi } from "vitest";
import { createManualClock } from "../../src/testing.ts";
import {
  createWebhookVerifier,
  importSigningSecrets,
  signDelivery,
  verifyDelivery,
} from "../../src/webhooks/signature.ts";
import { lowerCase, vectors } from "./vectors.ts";

const now = { nowMilliseconds: 1_790_000_000_000, toleranceSeconds: 300 };
const body = new TextEncoder().encode("{}");
const signed = lowerCase(signDelivery({ secret: "whk", body, timestampSeconds: 1_790_000_000 }));
const keys = importSigningSecrets(["whk"]);

describe("verifyDelivery on vectors computed by another program", () => {
  test.each(vectors)("W1, W2, W3, W4: $expect: $name", (vector) => {
    const delivery = { headers: lowerCase(vector.headers), body: Buffer.from(vector.bodyBase64, "base64") };
    const reason = verifyDelivery(delivery, {
      keys: importSigningSecrets(vector.secrets),
      toleranceSeconds: vector.toleranceSeconds,
      nowMilliseconds: vector.nowSeconds * 1000,
    });
    expect(reason ?? "accepted").toBe(vector.expect);
  });
});

describe("verifyDelivery", () => {
  test.each(["x-webhook-timestamp", "x-webhook-signature"])(
    "refuses a %s that is an array, even of one correct value",
    (name) => {
      const headers = { ...signed, [name]: [signed[name] ?? ""] };
      expect(verifyDelivery({ headers, body }, { keys, ...now })).toMatch(/_malformed$/);
    },
  );

  test("compares whole seconds, and ignores the fraction of the clock", () => {
    const check = { keys, toleranceSeconds: 300 };
    expect(verifyDelivery({ headers: signed, body }, { ...check, nowMilliseconds: 1_790_000_300_999 })).toBeUndefined();
    expect(verifyDelivery({ headers: signed, body }, { ...check, nowMilliseconds: 1_790_000_301_000 })).toBe(
      "timestamp_outside_tolerance",
    );
  });

  test("accepts nothing without a key", () => {
    expect(verifyDelivery({ headers: signed, body }, { keys: [], ...now })).toBe("signature_mismatch");
  });
});

describe("importSigningSecrets", () => {
  test("hides the secret from inspection", async () => {
    const { inspect } = await import("node:util");
    expect(inspect(importSigningSecrets(["whk_live_secret"]), { depth: 9, showHidden: true })).not.toContain(
      "whk_live",
    );
  });
});

describe("signDelivery", () => {
  afterEach(() => void vi.useRealTimers());

  test("signs with the whole second of now, unless another is given", () => {
    vi.useFakeTimers({ now: 1_790_000_000_999, toFake: ["Date"] });
    const given = signDelivery({ secret: "whk", body: "{}", timestampSeconds: 1_790_000_000 });
    expect(signDelivery({ secret: "whk", body: "{}" })).toEqual(given);
    expect(signDelivery({ secret: "whk", body: "{}", timestampSeconds: 0 })["X-Webhook-Timestamp"]).toBe("0");
  });
});

const clock = createManualClock(1_790_000_000_000);
const headers = signDelivery({ secret: "new_secret", body, timestampSeconds: 1_790_000_000 });

describe("createWebhookVerifier", () => {
  test.each([
    ["as the service writes them", headers],
    ["in lower case", lowerCase(headers)],
    ["in upper case", Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))],
    ["of a fetch request", new Headers(headers)],
  ])("accepts headers %s", (_spelling, spelled) => {
    const verify = createWebhookVerifier({ secret: ["old_secret", "new_secret"], clock });
    expect(verify({ headers: spelled, body })).toEqual({ authentic: true });
  });

  test("returns why a delivery is refused, and never throws", () => {
    const verify = createWebhookVerifier({ secret: "other_secret", clock });
    expect(verify({ headers, body })).toEqual({ authentic: false, reason: "signature_mismatch" });
    expect(verify({ headers: {}, body })).toEqual({ authentic: false, reason: "header_missing" });
    expect(verify({ headers: { get: "a header of this name" }, body }).authentic).toBe(false);
  });

  test.each(["get", "entries"])("takes a header named %s for a header like any other", (name) => {
    const verify = createWebhookVerifier({ secret: "new_secret", clock });
    expect(verify({ headers: { ...headers, [name]: "a text" }, body })).toEqual({ authentic: true });
  });

  test("applies the configured tolerance", async () => {
    const own = createManualClock(1_790_000_000_000);
    const verify = createWebhookVerifier({ secret: "new_secret", toleranceSeconds: 10, clock: own });
    await own.advance(10_000);
    expect(verify({ headers, body }).authentic).toBe(true);
    await own.advance(1000);
    expect(verify({ headers, body })).toEqual({ authentic: false, reason: "timestamp_outside_tolerance" });
  });

  test.each([
    { secret: undefined },
    { secret: "" },
    { secret: [] },
    { secret: "short" },
    { secret: ["whk_secret", "x"] },
    { secret: ["a", "b", "c"].map((letter) => letter.repeat(8)) },
    { secret: "whk_secret", toleranceSeconds: -1 },
    { secret: "whk_secret", toleranceSeconds: Number.NaN },
  ])("refuses the options %j", (options) => {
    expect(() => createWebhookVerifier(options)).toThrow(TypeError);
  });
});
