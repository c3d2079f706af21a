import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { importSigningSecrets, signDelivery, verifyDelivery } from "../../src/webhook/signature.ts";
import { lowerCase, vectors } from "./vectors.ts";

const now = { nowMilliseconds: 1_790_000_000_000, toleranceSeconds: 300 };
const body = new TextEncoder().encode("{}");
const signed = lowerCase(signDelivery({ secret: "whk", body, timestampSeconds: 1_790_000_000 }));
const keys = importSigningSecrets(["whk"]);

describe("verifyDelivery on vectors computed by another program", () => {
  test.each(vectors)("$expect: $name", (vector) => {
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

  test("checks the format of both headers before the time, and the time before the signature", () => {
    const stale = { keys, toleranceSeconds: 300, nowMilliseconds: 0 };
    const malformed = { ...signed, "x-webhook-signature": "v1=" };
    const mismatched = { ...signed, "x-webhook-signature": `v1=${"0".repeat(64)}` };
    expect(verifyDelivery({ headers: malformed, body }, stale)).toBe("signature_malformed");
    expect(verifyDelivery({ headers: mismatched, body }, stale)).toBe("timestamp_outside_tolerance");
  });

  test("accepts nothing without a key", () => {
    expect(verifyDelivery({ headers: signed, body }, { keys: [], ...now })).toBe("signature_mismatch");
  });

  test("never throws and never accepts for headers of a stranger", () => {
    const piece = fc.constantFrom("v1=", "v2=", ",", " ", "=", "1790000000", "0", "a", "é", "\u0000", "0".repeat(64));
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join("")),
    );
    const header = fc.oneof(text, fc.array(text), fc.constant(undefined));
    fc.assert(
      fc.property(header, header, fc.uint8Array(), (timestamp, signature, bytes) => {
        const headers = { "x-webhook-timestamp": timestamp, "x-webhook-signature": signature };
        expect(verifyDelivery({ headers, body: bytes }, { keys, ...now })).toBeTypeOf("string");
      }),
    );
  });

  test("refuses a signed delivery if any byte changes", () => {
    const original = Buffer.from('{"data":{"message_id":"m","status":"SENT"}}');
    const headers = lowerCase(signDelivery({ secret: "whk", body: original, timestampSeconds: 1_790_000_000 }));
    const position = fc.nat(original.length - 1);
    fc.assert(
      fc.property(position, fc.integer({ min: 1, max: 255 }), (at, difference) => {
        const changed = Uint8Array.from(original, (byte, index) => (index === at ? byte ^ difference : byte));
        expect(verifyDelivery({ headers, body: changed }, { keys, ...now })).toBe("signature_mismatch");
      }),
    );
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
  test("signs text like its bytes, as the specification defines", () => {
    const headers = signDelivery({ secret: "s", body: "ü", timestampSeconds: 7 });
    expect(headers).toEqual(signDelivery({ secret: "s", body: Buffer.from("ü"), timestampSeconds: 7 }));
    expect(headers["X-Webhook-Signature"]).toBe(`v1=${createHmac("sha256", "s").update("7.ü").digest("hex")}`);
  });
});
