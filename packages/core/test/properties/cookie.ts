import assert from "node:assert/strict";
import fc from "fast-check";
import { createCookie } from "../../src/sessions/transport.ts";
import { createProperty, type ParserProperty } from "./property.ts";

const secure = fc.boolean();
const wellFormed = fc.string({ unit: "binary", minLength: 1, maxLength: 40 });
const token = fc.string({ unit: fc.constantFrom(..."abcXYZ019-_"), minLength: 1, maxLength: 12 });
const otherPair = fc.oneof(
  fc.tuple(token, token).map(([name, value]) => `${name}=${value}`),
  fc
    .tuple(fc.constantFrom("x", "__Host-", "__Secure-", "x__Host-"), token)
    .map(([begin, value]) => `${begin}doorcodes=${value}`),
);

/** The invariants of `createCookie`. */
export const cookieProperties: readonly ParserProperty[] = [
  createProperty(
    "L26: a cookie that was written is read again, among cookies of the app in any order",
    fc.record({
      secure,
      value: wellFormed,
      before: fc.array(otherPair),
      after: fc.array(otherPair),
      split: fc.boolean(),
    }),
    ({ secure, value, before, after, split }) => {
      const cookie = createCookie("doorcode", secure);
      const [pair = ""] = cookie.write(value, 60).split(";");
      const pairs = [...before, pair, ...after];
      assert.equal(cookie.read({ cookie: split ? pairs : pairs.join("; ") }), value);
    },
  ),
];
