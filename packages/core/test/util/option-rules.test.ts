import { describe, expect, test } from "vitest";
import {
  clockRule,
  methodsRule,
  optionRule,
  readOptions,
  secondsRule,
  wholeNumberRule,
  withDefault,
} from "../../src/util/option-rules.ts";

const textRule = optionRule((value): value is string => typeof value === "string", "expected a text");
const rules = { name: textRule, colour: withDefault(textRule, "red"), size: withDefault(textRule, undefined) };
const read = (options: unknown) => readOptions("createPart", rules, options, '{ name: "a" }');

describe("options", () => {
  test("that are left out have their defaults, which are not checked", () => {
    expect(read({ name: "a" })).toEqual({ name: "a", colour: "red", size: undefined });
    expect(read({ name: "a", colour: undefined })).toEqual({ name: "a", colour: "red", size: undefined });
  });

  test("that are given stand in place of the defaults", () => {
    expect(read({ name: "a", colour: "blue", size: "L" })).toEqual({ name: "a", colour: "blue", size: "L" });
  });

  test("may be inherited", () => {
    expect(read(Object.create({ name: "a", colour: "blue" }))).toEqual({ name: "a", colour: "blue", size: undefined });
  });

  test("are read once: the value that was checked is the value that is used", () => {
    const values = ["a", 1];
    const options = {
      get name() {
        return values.shift();
      },
    };
    expect(read(options)).toEqual({ name: "a", colour: "red", size: undefined });
  });

  test("are not changed where the caller has them", () => {
    const options = Object.freeze({ name: "a" });
    expect(read(options)).not.toBe(options);
  });

  test.each([
    ["a required one that is missing", {}, "createPart: name: expected a text."],
    ["a wrong one", { name: 1 }, "createPart: name: expected a text."],
    ["null instead of a default", { name: "a", colour: null }, "createPart: colour: expected a text."],
    ["no options", undefined, 'createPart: options: expected an object such as { name: "a" }.'],
    ["null", null, 'createPart: options: expected an object such as { name: "a" }.'],
    ["a list", [], 'createPart: options: expected an object such as { name: "a" }.'],
    ["a text", "a", 'createPart: options: expected an object such as { name: "a" }.'],
    [
      "a misspelled one",
      { name: "a", color: "blue" },
      "createPart: options: unknown option color; did you mean colour? The options are name, colour, size.",
    ],
    [
      "a misspelled one that is inherited",
      Object.create({ name: "a", color: "blue" }),
      "createPart: options: unknown option color; did you mean colour? The options are name, colour, size.",
    ],
    [
      "one that every object has",
      { name: "a", toString: String },
      "createPart: options: unknown option toString; the options are name, colour, size.",
    ],
  ])("are refused in one sentence: %s", (_, options, message) => {
    expect(() => read(options)).toThrow(new TypeError(message));
  });

  test("are described without an example where there is none", () => {
    expect(() => readOptions("createPart", rules, 1)).toThrow(
      new TypeError("createPart: options: expected an object."),
    );
  });
});

describe("a rule", () => {
  const whole = wholeNumberRule(2, 5);
  const seconds = secondsRule(0.5, 5);

  test.each([2, 3, 5])("of whole numbers from 2 to 5 accepts %s", (value) => {
    expect(whole.refuse(value)).toBeUndefined();
  });

  test.each([1, 6, 2.5, "3", Number.NaN, Number.POSITIVE_INFINITY, null, undefined])(
    "of whole numbers from 2 to 5 refuses %s",
    (value) => {
      expect(whole.refuse(value)).toBe("expected a whole number from 2 to 5");
    },
  );

  test.each([0.5, 2.5, 5])("of seconds from 0.5 to 5 accepts %s", (value) => {
    expect(seconds.refuse(value)).toBeUndefined();
  });

  test.each([0.4, 5.1, "3", Number.NaN, Number.POSITIVE_INFINITY, null, undefined])(
    "of seconds from 0.5 to 5 refuses %s",
    (value) => {
      expect(seconds.refuse(value)).toBe("expected seconds from 0.5 to 5");
    },
  );

  test("of methods accepts functions that have them, and says which method is missing", () => {
    const rule = methodsRule(["open", "close"], "expected a door");
    const door = { open() {}, close() {} };
    expect(rule.refuse(door)).toBeUndefined();
    expect(rule.refuse(Object.assign(() => {}, door))).toBeUndefined();
    expect(rule.refuse({ open() {}, close: true })).toBe("expected a door; this value has no close()");
    for (const value of [null, undefined, 1, "door"]) expect(rule.refuse(value)).toBe("expected a door");
  });

  test("of a clock asks for its two functions", () => {
    expect(clockRule.refuse({ now: Date.now })).toMatch(/^expected a Clock .*; this value has no schedule\(\)$/);
  });
});
