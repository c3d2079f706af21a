import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { AttemptAction } from "../src/fault/fire-faults.ts";
import { type SignatureHeaders, signAttempt } from "../src/webhook/attempts.ts";

describe("a signed attempt", () => {
  const body = '{"event":"message.status.update","data":{"text":"Grüße"}}';
  const nowSeconds = 1_767_225_600;
  const sign = (...actions: AttemptAction[]) =>
    signAttempt({ secret: "current", previousSecret: "previous", body, actions, nowSeconds });
  const expectedFor = (secret: string, timestamp: number) =>
    `v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`, "utf8").digest("hex")}`;
  const signatureOf = (headers: SignatureHeaders) => headers["X-Webhook-Signature"];

  test("without faults has the current time and one entry of the current secret", () => {
    expect(sign()).toEqual({
      "X-Webhook-Timestamp": String(nowSeconds),
      "X-Webhook-Signature": expectedFor("current", nowSeconds),
    });
  });

  test("is not changed by faults that do not affect signatures", () => {
    expect(sign({ type: "drop" }, { type: "duplicate" }, { type: "cut" })).toEqual(sign());
  });

  test("with corrupt_signature differs in one hex digit", () => {
    const [wrong, right] = [signatureOf(sign({ type: "corrupt_signature" })), expectedFor("current", nowSeconds)];
    expect(wrong).toMatch(/^v1=[0-9a-f]{64}$/);
    expect([...wrong].filter((digit, index) => digit !== right[index])).toHaveLength(1);
  });

  test("with stale_timestamp is signed correctly for that time", () => {
    expect(sign({ type: "stale_timestamp", seconds: 301 })).toEqual({
      "X-Webhook-Timestamp": String(nowSeconds - 301),
      "X-Webhook-Signature": expectedFor("current", nowSeconds - 301),
    });
  });

  test("with extra_signature has a v2 entry before the right v1 entry", () => {
    const entries = signatureOf(sign({ type: "extra_signature" })).split(",");
    expect(entries).toEqual([expect.stringMatching(/^v2=.+/), expectedFor("current", nowSeconds)]);
  });

  test("with two_secrets has an entry of the previous secret before that of the current one", () => {
    const entries = signatureOf(sign({ type: "two_secrets" })).split(",");
    expect(entries).toEqual([expectedFor("previous", nowSeconds), expectedFor("current", nowSeconds)]);
  });

  test("with two_secrets but no previous secret has another entry of the right form", () => {
    const again = () =>
      signatureOf(
        signAttempt({
          secret: "current",
          previousSecret: undefined,
          body,
          actions: [{ type: "two_secrets" }],
          nowSeconds,
        }),
      ).split(",");
    const [first, second] = [again(), again()];
    expect([first[1], second[1]]).toEqual([expectedFor("current", nowSeconds), expectedFor("current", nowSeconds)]);
    expect(first[0]).toMatch(/^v1=[0-9a-f]{64}$/);
    expect(new Set([first[0], second[0], first[1]]).size).toBe(3);
  });

  test("with all faults has an old timestamp, a v2 entry and two wrong v1 entries", () => {
    const headers = sign(
      { type: "two_secrets" },
      { type: "corrupt_signature" },
      { type: "extra_signature" },
      { type: "stale_timestamp", seconds: 600 },
    );
    const [extra, ...entries] = signatureOf(headers).split(",");
    const right = [expectedFor("previous", nowSeconds - 600), expectedFor("current", nowSeconds - 600)];
    expect(headers["X-Webhook-Timestamp"]).toBe(String(nowSeconds - 600));
    expect(extra).toMatch(/^v2=/);
    expect(entries.map((entry) => entry.slice(0, -1))).toEqual(right.map((entry) => entry.slice(0, -1)));
    expect(entries.every((entry, index) => /^v1=[0-9a-f]{64}$/.test(entry) && entry !== right[index])).toBe(true);
  });
});
