import { describe, expect, test } from "vitest";
import { createManualClock } from "../../src/testing.ts";
import { createWebhookVerifier, signDelivery } from "../../src/webhooks/signature.ts";
import { lowerCase } from "./vectors.ts";

const clock = createManualClock(1_790_000_000_000);
const body = new TextEncoder().encode("{}");
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

  test("names a wrong option, and the function that takes it", () => {
    expect(() => createWebhookVerifier({ secret: undefined })).toThrow(/^createWebhookVerifier: secret /);
    expect(() => createWebhookVerifier({ secret: "new_secret", toleranceSeconds: -1 })).toThrow(
      /createWebhookVerifier.*\btoleranceSeconds\b/,
    );
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
