import { appCodes, createDoorcode } from "@doorcode/core";
import { expect, test } from "vitest";
import { describeText, stateText } from "../../src/limits/print.ts";

test("the app on alert is shown before what is closed, and has no time at which it opens", () => {
  const text = stateText([
    { kind: "app", unconfirmed: 130.4, threshold: 120.9 },
    { kind: "block", value: "+4915123", secondsLeft: 3601 },
  ]);
  expect(text.split("\n").map((line) => line.trim().split(/ {2,}/))).toEqual([
    ["kind", "value", "opens in"],
    ["app", "on alert: 130 unconfirmed, of 120"],
    ["block", "+4915123", "1 h 1 min"],
    [""],
  ]);
});

test("what limits no guesses is called so: the app's codes close no number, and nothing is enforced without `origins`", () => {
  const codes = appCodes({ send: () => undefined });
  const password = "a password of the tests, long enough";
  const { limits } = createDoorcode({ login: { countries: ["DE"], password, codes, onLogin: () => "user_1" } });
  const text = describeText(limits.describe());
  expect(text).toMatch(/^ {2}untilClosed +no limit$/m);
  expect(text).toMatch(/^ {2}ofAddressPerDay +no limit$/m);
});
