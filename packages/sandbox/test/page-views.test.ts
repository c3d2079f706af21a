import { describe, expect, test } from "vitest";
import { durationText, leftText } from "../src/page/browser/time-text.ts";
import { attemptText } from "../src/page/webhooks/attempts.tsx";
import { delivery } from "./support/records.ts";

test.each([
  [50, "50 ms"],
  [4200, "4.2 s"],
  [61_000, "1 m 1 s"],
  [4_350_000, "1 h 12 m"],
  [90_000_000, "1 d 1 h"],
])("formats %d ms as %s", (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});

test("counts down in whole seconds, and then shows now", () => {
  expect([118_001, 1, 0, -5].map(leftText)).toEqual(["in 1 m 59 s", "in 1 s", "now", "now"]);
});

describe("the description of an attempt", () => {
  const attempt = delivery("dlv_1").attempts[0] ?? expect.fail();
  test.each([
    [{ error: "unreachable" }, "Connection refused: is your app running on port 3000?"],
    [{ error: "timed_out" }, "No answer within 5 s: answer before doing slow work"],
    [{ error: undefined, status: 204 }, "Acknowledged with 204"],
    [{ error: undefined, status: 302 }, "302: redirects are not followed"],
    [{ error: undefined, status: 401 }, "401: your app refused the signature"],
    [{ error: undefined, status: 404 }, "404: your app has no route at /webhooks"],
    [{ error: undefined, status: 503 }, "503: your app failed"],
  ] as const)("%j", (changes, words) => {
    expect(attemptText({ ...attempt, ...changes }, "http://localhost:3000/webhooks")).toContain(words);
  });
});
