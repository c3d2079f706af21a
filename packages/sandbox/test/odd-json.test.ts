import { assert, jsonValue, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { oddJson } from "../src/fault/fire-faults.ts";

describe("odd JSON", () => {
  test("has the same value but another text, which can be encoded as UTF-8, surrogates too", () => {
    const text = JSON.stringify({ "😀a😀": "x😀y😀\ud83d" });
    expect(JSON.parse(Buffer.from(oddJson(text)).toString())).toEqual(JSON.parse(text));
    assert(
      property(jsonValue({ stringUnit: "binary" }), (value) => {
        const payload = JSON.stringify(value);
        const odd = oddJson(payload);
        expect(JSON.parse(odd)).toEqual(JSON.parse(payload));
        expect(odd).not.toBe(payload);
        expect(new TextDecoder("utf-8", { fatal: true }).decode(new TextEncoder().encode(odd))).toBe(odd);
      }),
      { numRuns: 30 },
    );
  });

  test("has extra whitespace, reversed keys, escapes, and numbers with exponents", () => {
    const odd = oddJson('{"id":"a/b","at":1767225600123,"list":[-0.5,0,true,null],"empty":{}}');
    expect(odd.replaceAll(/[ \t\r\n]+/g, "")).toBe(
      String.raw`{"\u0065m\u0070t\u0079":{},"\u006Ci\u0073t":[-5.0e-1,0.0e+0,true,null],"\u0061t":1.767225600123e+12,"\u0069d":"\u0061\/\u0062"}`,
    );
    expect(odd).toMatch(/^\s+\{\s/);
  });

  test.each(["-0", "5e-324", "12345678901234567890", "0.1"])("keeps the value of the number %s", (payload) => {
    expect(JSON.parse(oddJson(payload))).toBe(JSON.parse(payload));
  });
});
