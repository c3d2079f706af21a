import assert from "node:assert/strict";
import fc from "fast-check";
import { createCookie } from "../../src/util/headers.ts";
import { anyText, createProperty, mutated, type ParserProperty } from "./property.ts";

const names = ["doorcode", "doorcode-login"];
const secure = fc.boolean();
const wellFormed = fc.string({ unit: "binary", minLength: 1, maxLength: 40 });
const token = fc.string({ unit: fc.constantFrom(..."abcXYZ019-_"), minLength: 1, maxLength: 12 });
const otherPair = fc.oneof(
  fc.tuple(token, token).map(([name, value]) => `${name}=${value}`),
  fc
    .tuple(fc.constantFrom("x", "__Host-", "__Secure-", "x__Host-"), token)
    .map(([begin, value]) => `${begin}doorcodes=${value}`),
);
const headers = fc
  .array(
    fc.oneof(
      otherPair,
      fc
        .tuple(fc.constantFrom("__Host-", ""), fc.oneof(token, fc.constant("")))
        .map(([begin, value]) => `${begin}doorcode=${value}`),
    ),
  )
  .map((pairs) => pairs.join("; "));
const strangers = fc.oneof(
  fc.constantFrom(...'=;",% \t\\\u0000'),
  fc.constantFrom("%ff", "%", "=;", "doorcode="),
  anyText,
);

/** Reads a cookie apart from the parser: the first pair with exactly this name. */
function valueIn(header: string, name: string): string | undefined {
  const trim = (text: string) => text.replace(/^[ \t]+|[ \t]+$/g, "");
  const pair = header.split(";").find((part) => part.includes("=") && trim(part.slice(0, part.indexOf("="))) === name);
  const value = pair && trim(pair.slice(pair.indexOf("=") + 1));
  if (!value) return undefined;
  try {
    return decodeURIComponent(value) || undefined;
  } catch {
    return value;
  }
}

/** The invariants of `createCookie`. */
export const cookieProperties: readonly ParserProperty[] = [
  createProperty(
    "a cookie that was written is read again, among cookies of the app in any order",
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
  createProperty(
    "a cookie has only its own attributes, whatever its value is",
    fc.record({ secure, value: wellFormed, seconds: fc.nat(1e6) }),
    ({ secure, value, seconds }) => {
      const [, ...attributes] = createCookie("doorcode", secure).write(value, seconds).split("; ");
      const expected = [`Max-Age=${seconds}`, "Path=/", "HttpOnly", ...(secure ? ["Secure"] : []), "SameSite=Lax"];
      assert.deepEqual(attributes, expected);
    },
  ),
  createProperty(
    "only the first cookie with exactly the name is read, from any header",
    fc.record({
      secure,
      name: fc.constantFrom(...names),
      header: fc.oneof(anyText, headers, mutated(headers, strangers)),
    }),
    ({ secure, name, header }) => {
      const cookie = createCookie(name, secure);
      assert.equal(cookie.read({ cookie: header }), valueIn(header, secure ? `__Host-${name}` : name));
      assert.equal(createCookie(name, secure).read({}), undefined);
    },
  ),
];
