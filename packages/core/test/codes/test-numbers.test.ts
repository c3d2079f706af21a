import { createManualClock } from "@doorcode/core/testing";
import { expect, test } from "vitest";
import type { CodeStrategy } from "../../src/codes/code-strategy.ts";
import { withTestNumbers } from "../../src/codes/test-numbers.ts";
import { offeredChannels } from "../../src/phone/allowed-numbers.ts";

const phone = "+4915100000001";
const clock = createManualClock();
const day = (days: number) => new Date(clock.now() - (clock.now() % 86_400_000) + days * 86_400_000);

function wrap(until: Date): CodeStrategy {
  const codes = { digits: { min: 6, max: 6 }, lengthensCodes: () => true } as Partial<CodeStrategy> as CodeStrategy;
  const channels = offeredChannels({ default: ["SMS"] }, {});
  const deps = { codes, clock, countries: ["DE"], channels, onUsed: () => undefined };
  return withTestNumbers(deps, { numbers: { [phone]: "271828" }, until: until.toISOString().slice(0, 10) });
}

test("the code of a test number gets no longer, however many wrong codes it had", () => {
  const { lengthensCodes } = wrap(day(1));
  expect([lengthensCodes(phone), lengthensCodes("+4915100000002")]).toEqual([false, true]);
});

test("the last day begins at most 365 days from now", async () => {
  await clock.advance(86_400_000 - (clock.now() % 86_400_000));
  wrap(day(365));
  expect(() => wrap(day(366))).toThrow("login.testNumbers.until");
});
