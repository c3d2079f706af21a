import { describe, expect, test } from "vitest";
import { z } from "zod";
import { identifier, optionalIdentifier, optionalInstant, optionalText } from "../../src/service/fields.ts";

const none = undefined;

describe.each([
  { value: "text", text: "text", instant: "text", id: "text" },
  { value: "", text: "", instant: "", id: none },
  { value: 7, text: none, instant: 7, id: "7" },
  { value: 1.5, text: none, instant: 1.5, id: none },
  { value: 2 ** 53, text: none, instant: 2 ** 53, id: none },
  { value: Number.POSITIVE_INFINITY, text: none, instant: none, id: none },
  { value: null, text: none, instant: none, id: none },
  { value: true, text: none, instant: none, id: none },
  { value: ["text"], text: none, instant: none, id: none },
  { value: {}, text: none, instant: none, id: none },
])("a field of the service with the value $value", ({ value, text, instant, id }) => {
  const shape = z.looseObject({ text: optionalText, instant: optionalInstant, id: optionalIdentifier });

  test("is read by its type, and as missing if it has another one", () => {
    expect(shape.parse({ text: value, instant: value, id: value })).toStrictEqual({ text, instant, id });
  });

  test("is an identifier or refused, where one is required", () => {
    expect(identifier.safeParse(value).data).toBe(id);
  });
});

test("a field that is not there stays away from the record", () => {
  const shape = z.looseObject({ text: optionalText, instant: optionalInstant, id: optionalIdentifier });
  expect(shape.parse({ more: 1 })).toStrictEqual({ more: 1 });
  expect(z.looseObject({ id: identifier }).safeParse({}).success).toBe(false);
});
