import { type Doorcode, doorcodeParts } from "@doorcode/core/adapter";
import { expect, test } from "vitest";
import { groupText, maskBody } from "../src/masked.ts";

const mask = (value: unknown) => JSON.parse(maskBody(JSON.stringify({ value }))).value;

test("a body shows its instants and the service's ids, which an operator looks for in logs", () => {
  const shown = [
    "2026-11-27T07:49:24.151Z",
    "2026-11-27T07:49:24+01:00",
    "ver_7d662a0c12345e99",
    "DELIVERED",
    true,
    null,
  ];
  expect(shown.map(mask)).toEqual(shown);
});

test.each([
  "+4915112345678",
  "msg_4915112345678",
  "req_0c4915112345678a",
  "+49 151 1234 5678",
  "2026-11-27T07:49:24Z 4915112345678",
  "491511-23-45T67:89",
  "x_491511234",
  4915112345678,
])("a body hides the digits of %j", (value) => {
  expect(String(mask(value))).not.toMatch(/\d{4}/);
});

test("a body hides what may be a code or a secret by the name of its member, also as an id", () => {
  const { data } = JSON.parse(maskBody('{ "data": { "code": "ver_7d662a0c1234e99a", "api_key": "abc", "otp": 12 } }'));
  expect(data).toEqual({ code: "[…]", api_key: "[…]", otp: "[…]" });
});

test.each([
  ["address", "203.0.113.77", "203.0.113.… (finger)"],
  ["address", "2001:db8:1:2::/64", "2001:db8:1:… (finger)"],
  ["network", "2001:db8:1::/48", "2001:db8:1:… (finger)"],
  ["block", "+49151234", "+49151234…"],
] as const)("a closed %s, such as %s, is shown without the address of a person", (kind, value, shown) => {
  const login = { keys: { fingerprint: () => "fingerprint" } };
  const doorcode = { [doorcodeParts]: { login } } as unknown as Doorcode;
  expect(groupText(doorcode, { kind, value, secondsLeft: 60 })).toBe(shown);
});
