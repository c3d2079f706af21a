import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { importSigningSecrets, signDelivery, verifyDelivery } from "../../src/webhooks/signature.ts";
import { lowerCase } from "../webhooks/vectors.ts";
import { anyText, createProperty, mutated, type ParserProperty } from "./property.ts";

const nowSeconds = 1_790_000_000;
const toleranceSeconds = 300;
const secrets = ["whk_new", "whk_old"];
const keys = importSigningSecrets(secrets);
const check = { keys, toleranceSeconds, nowMilliseconds: nowSeconds * 1000 };

const bodies = fc.oneof(
  fc.jsonValue().map((value) => new TextEncoder().encode(JSON.stringify(value))),
  fc.uint8Array(),
);
const distances = fc.constantFrom(
  0,
  0,
  7,
  -7,
  ...[-1, 1].flatMap((sign) => [300, 301].map((seconds) => sign * seconds)),
);
/** Timestamps that a service might write, right or wrong. All of them are signed as they are. */
const timestampForms = fc.oneof(
  { weight: 3, arbitrary: fc.constant("#") },
  fc.constantFrom("0#", "00#", " #", "# ", "+#", "#.0", "#x", "#\n", "0x#", "#000"),
);
const otherEntries = fc.constantFrom(
  "v2=abc",
  "v1=",
  "v1=x",
  `v1=${"0".repeat(64)}`,
  "",
  "v1 =x",
  `v1=${"A".repeat(64)}`,
);
const strangers = fc.oneof(
  fc.constantFrom(..."v1=, \t0aF\u0000é"),
  fc.constantFrom("v1=", ",v1=", "+", "-", "."),
  anyText,
);
const anyHeader = fc.oneof(anyText, fc.array(anyText), fc.constant(undefined));

/** A delivery of the service, of which headers may be changed. */
const deliveries = fc
  .record({ body: bodies, distance: distances, form: timestampForms, secret: fc.constantFrom(...secrets, "whk_other") })
  .chain(({ body, distance, form, secret }) => {
    const timestamp = form.replace("#", String(nowSeconds + distance));
    const entry = entryOf(secret, timestamp, body);
    const others = fc.array(otherEntries, { maxLength: 9 });
    const end = fc.constantFrom("", "", "", " ", "\t", "0", "=", "\n");
    const list = fc
      .tuple(others, fc.constantFrom("", "", " ", "\t", "x"), end, others)
      .map(([before, begin, end, after]) => [...before, `${begin}${entry}${end}`, ...after].join(","));
    const same = fc.constant(timestamp);
    return fc.record({
      body: fc.constant(body),
      timestamp: fc.oneof(same, same, same, mutated(same, strangers), anyHeader),
      signature: fc.oneof(fc.constant(entry), list, list, mutated(list, strangers), anyHeader),
    });
  });

/** Signs apart from `signDelivery`, by the words of the specification. */
function entryOf(secret: string, timestamp: string, body: Uint8Array): string {
  const signed = Buffer.concat([Buffer.from(`${timestamp}.`), body]);
  return `v1=${createHmac("sha256", secret).update(signed).digest("hex")}`;
}

/** Decides apart from the verifier, by the words of the specification. */
function isAuthentic(body: Uint8Array, timestamp: unknown, signature: unknown): boolean {
  if (typeof timestamp !== "string" || typeof signature !== "string") return false;
  if (timestamp.length > 12 || timestamp === "" || [...timestamp].some((digit) => !"0123456789".includes(digit)))
    return false;
  if (Math.abs(Number.parseInt(timestamp, 10) - nowSeconds) > toleranceSeconds) return false;
  const entries = signature.split(",").map((entry) => entry.replace(/^[ \t]+|[ \t]+$/g, ""));
  const expected = secrets.map((secret) => entryOf(secret, timestamp, body));
  const hasTooMany = entries.filter((entry) => entry.startsWith("v1=")).length > 8;
  return !hasTooMany && entries.some((entry) => expected.includes(entry));
}

/** The invariants of `verifyDelivery`. */
export const signatureProperties: readonly ParserProperty[] = [
  createProperty(
    "W2, W3, W4: a delivery is accepted exactly if it has the signature that the service makes for it",
    deliveries,
    ({ body, timestamp, signature }) => {
      const headers = { "x-webhook-timestamp": timestamp, "x-webhook-signature": signature };
      assert.equal(verifyDelivery({ headers, body }, check) === undefined, isAuthentic(body, timestamp, signature));
    },
  ),
  createProperty(
    "W1: a delivery is refused if any byte of its body changes",
    fc.record({ body: fc.uint8Array({ minLength: 1 }), at: fc.nat(), difference: fc.integer({ min: 1, max: 255 }) }),
    ({ body, at, difference }) => {
      const headers = lowerCase(signDelivery({ secret: "whk_new", body, timestampSeconds: nowSeconds }));
      const changed = body.map((byte, index) => (index === at % body.length ? byte ^ difference : byte));
      assert.equal(verifyDelivery({ headers, body }, check), undefined);
      assert.equal(verifyDelivery({ headers, body: changed }, check), "signature_mismatch");
    },
  ),
];
