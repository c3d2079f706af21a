import { describe, expect, test } from "vitest";
import { parserProperties } from "./parsers.ts";

describe.each(Object.entries(parserProperties))("%s", (_parser, properties) => {
  test.each(properties)("$title", async ({ check }) => {
    expect((await check({ inputs: 200 })).failure).toBeUndefined();
  });
});
