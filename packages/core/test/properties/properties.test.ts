import { describe, expect, test } from "vitest";
import { parserProperties } from "./parsers.ts";

/** `npm run fuzz` checks a million inputs, for at most ten minutes each invariant. */
const inputs = Number(process.env.DOORCODE_FUZZ_INPUTS ?? 200);
const seed = Number(process.env.DOORCODE_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const maxMilliseconds = 600_000;
const patience = { timeout: maxMilliseconds * 2 };

describe.each(Object.entries(parserProperties))(`%s, seed ${seed}`, (_parser, properties) => {
  test.each(properties)("$title", patience, async ({ check }) => {
    expect((await check({ inputs, seed, maxMilliseconds })).failure).toBeUndefined();
  });
});
