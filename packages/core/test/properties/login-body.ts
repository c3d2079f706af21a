import assert from "node:assert/strict";
import fc from "fast-check";
import { type BodyFormat, type LoginBody, readLoginBody } from "../../src/http/body.ts";
import type { Body } from "../../src/http/exchange.ts";
import { systemClock } from "../../src/util/clock.ts";
import { isDoorcodeError } from "../../src/util/errors.ts";
import { createRequest } from "./login-request.ts";
import { anyText, createProperty, mutated, type ParserProperty } from "./property.ts";

const names = ["phone", "country", "channel", "code", "language", "transaction", "next"] as const;

const bytesOf = (text: string) => new TextEncoder().encode(text);
const read = (text: string, format: BodyFormat) =>
  readLoginBody(createRequest({}, { bytes: bytesOf(text) }), format, systemClock);

async function readOrRefuse(body: Body, format: BodyFormat): Promise<LoginBody | undefined> {
  try {
    return await readLoginBody(createRequest({}, body), format, systemClock);
  } catch (error) {
    assert.ok(isDoorcodeError(error) && error.code === "body_malformed");
    // The message may name a member, and repeats nothing that was sent.
    assert.match(
      error.message,
      /^(The body is not JSON\.|The body must be a JSON object\.|`(phone|country|channel|code|transaction|next)` must be a string\.)$/,
    );
    return undefined;
  }
}

const wellFormed = fc.string({ unit: "binary", maxLength: 30 });
const members = fc.dictionary(fc.constantFrom(...names), wellFormed);
const others = fc.dictionary(
  fc.constantFrom("userId", "purpose", "__proto__", "constructor", "toString", ""),
  fc.string(),
);
const anyMembers = fc.dictionary(fc.oneof(fc.constantFrom(...names, "__proto__"), fc.string()), fc.jsonValue());
const jsonTexts = fc.oneof(anyMembers, fc.jsonValue()).map((value) => JSON.stringify(value));
const formTexts = fc
  .array(fc.tuple(fc.constantFrom(...names), wellFormed))
  .map((pairs) => new URLSearchParams(pairs).toString());
const strangers = fc.oneof(fc.constantFrom(...'{}[]":,\\%&=+\u0000\ufeff'), fc.string({ maxLength: 3 }));
const bytes = fc.oneof(
  fc.oneof(anyText, jsonTexts, formTexts, mutated(jsonTexts, strangers), mutated(formTexts, strangers)).map(bytesOf),
  fc.uint8Array(),
);

const definedMembers = (body: LoginBody) =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));

function pairOf(value: object, name: string): readonly [string, unknown][] {
  const member: unknown = Reflect.get(value, name);
  return member === undefined ? [] : [[name, member]];
}

/** The invariants of `readLoginBody`. */
export const loginBodyProperties: readonly ParserProperty[] = [
  createProperty(
    "a JSON body is read as its members, and other members are ignored",
    fc.tuple(members, others),
    async (input) => {
      const [written, ignored] = input;
      assert.deepEqual(definedMembers(await read(JSON.stringify({ ...ignored, ...written }), "json")), { ...written });
    },
  ),
  createProperty(
    "a form is read as its fields, without empty ones, and as JSON with the same members is",
    fc.tuple(members, others),
    async ([written, ignored]) => {
      const filled = Object.fromEntries(Object.entries(written).filter(([, value]) => value !== ""));
      const form = new URLSearchParams([...Object.entries(ignored), ...Object.entries(written)]).toString();
      const body = await read(form, "form");
      assert.deepEqual(definedMembers(body), filled);
      assert.deepEqual(definedMembers(await read(JSON.stringify(filled), "json")), filled);
    },
  ),
  createProperty(
    "any body is read as strings or refused with `body_malformed`",
    fc.record({ bytes, format: fc.constantFrom<BodyFormat>("json", "form", "none") }),
    async ({ bytes, format }) => {
      const read = await readOrRefuse({ bytes }, format);
      if (bytes.length === 0 || format === "none") assert.deepEqual(read, {});
      const body = read ?? {};
      assert.ok(Object.keys(body).every((name) => names.some((known) => known === name)));
      assert.ok(Object.values(body).every((value) => value === undefined || typeof value === "string"));
      assert.equal(Object.getPrototypeOf(body), Object.prototype);
    },
  ),
  createProperty(
    "any value that a host's parser left is read as strings or refused with `body_malformed`",
    fc.record({ parsed: fc.oneof(anyMembers, fc.anything()), format: fc.constantFrom<BodyFormat>("json", "form") }),
    async ({ parsed, format }) => {
      const body = await readOrRefuse({ parsed }, format);
      const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
      const found = isObject ? names.flatMap((name) => pairOf(parsed, name)) : [];
      // A language is never a reason to refuse a login.
      const isKept = ([name, value]: readonly [string, unknown]) => name !== "language" || typeof value === "string";
      const expected = found.filter(isKept);
      assert.equal(body !== undefined, isObject && expected.every(([, value]) => typeof value === "string"));
      if (body === undefined) return;
      const kept = expected.filter(([, value]) => format === "json" || value !== "");
      assert.deepEqual(definedMembers(body), Object.fromEntries(kept));
    },
  ),
];
