import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { summarizeError } from "../../src/util/redact.ts";

describe("the last error of a dead letter", () => {
  test("has a name, a code and one short line without numbers, stack or cause", () => {
    const cause = new Error("secret cause");
    const error = Object.assign(new TypeError(`to +49 1511 2345678\nfailed ${"x".repeat(1000)}`, { cause }), {
      code: "E1",
    });
    const described = summarizeError(error);
    expect(described).toMatchObject({ name: "TypeError", code: "E1" });
    expect(described.message).toHaveLength(200);
    expect(described.message).toMatch(/^to \+\[…\] failed x/);
    expect(JSON.stringify(described)).not.toMatch(/secret cause|error-summary\.test/);
  });

  test("summarizes any thrown value", () => {
    expect(summarizeError(undefined)).toEqual({ name: "undefined", code: undefined, message: "" });
    expect(summarizeError("text")).toEqual({ name: "string", code: undefined, message: "text" });
    expect(summarizeError(Object.create(null))).toMatchObject({ name: "object" });
    expect(summarizeError(null)).toEqual({ name: "object", code: undefined, message: "" });
    expect(summarizeError(Object.assign(new Error(), { name: 1, message: null }))).toMatchObject({
      name: "object",
      message: "",
    });
    expect(summarizeError({ name: "error", code: "23505", message: "duplicate" })).toMatchObject({ code: "23505" });
    expect(summarizeError({ name: "error", code: "+491511234", message: "" })).toMatchObject({ code: "+[…]" });
    expect(summarizeError({ name: "error", code: 7, message: "" })).toMatchObject({ code: undefined });
  });

  test("summarizes an error of another realm like any other", () => {
    const otherRealm: unknown = runInNewContext("Object.assign(new TypeError('odd'), { code: 'E2' })");
    expect(otherRealm).not.toBeInstanceOf(Error);
    expect(summarizeError(otherRealm)).toEqual({ name: "TypeError", code: "E2", message: "odd" });
  });

  test("never throws, even if reading the error throws", () => {
    const trap = () => {
      throw new Error("not readable");
    };
    const hostile = Object.defineProperties(new Error(), {
      name: { get: trap },
      code: { get: trap },
      message: { get: trap },
    });
    expect(summarizeError(hostile)).toEqual({ name: "object", code: undefined, message: "" });
    expect(summarizeError(new Proxy({}, { get: trap })).message).toBe("");
  });

  test("is well-formed text, even where a surrogate pair is cut", () => {
    const { message } = summarizeError(new Error(`${"x".repeat(199)}\u{1f600}`));
    expect(message).toHaveLength(200);
    expect(message.isWellFormed()).toBe(true);
  });
});
