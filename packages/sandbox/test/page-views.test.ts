import { expect, test } from "vitest";
import { durationText, leftText } from "../src/page/browser/time-text.ts";

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
