import { expect, test } from "vitest";
import { z } from "zod";
import { readRecord } from "../../src/store/checked-store.ts";

const shape = z.object({ count: z.number() });

test("reads what was stored, and nothing from a text that is absent, empty, no JSON or of another shape", () => {
  expect(readRecord(shape, '{"count":3}')).toEqual({ count: 3 });
  expect([undefined, "", "{", '{"count":"3"}', "null"].map((text) => readRecord(shape, text))).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
});
