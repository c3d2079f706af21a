import { createManualClock } from "@doorcode/core/testing";
import { expect, test } from "vitest";
import type { CodeCheckResult, CodeStrategy, LoginCode } from "../../src/codes/code-strategy.ts";
import { withSuppressedCodes } from "../../src/codes/suppressed-codes.ts";

const real = {} as LoginCode;
const suppressed = { isSuppressed: true } as LoginCode;

/** Creates codes that the app owns, and that take as long to send as the test says. */
function createCodes(result: CodeCheckResult = "wrong") {
  const clock = createManualClock();
  const call = { milliseconds: 0 };
  const owner: CodeStrategy = {
    digits: { min: 6, max: 6 },
    lifetimeSeconds: 300,
    channels: { default: ["SMS"] },
    answersOnce: false,
    sendsMessages: false,
    lengthensCodes: () => true,
    async send() {
      await clock.advance(call.milliseconds);
      return {};
    },
    check: async () => result,
  };
  return { clock, call, codes: withSuppressedCodes(owner, clock, (timed) => timed) };
}

test("L16: a suppressed code takes as long as one of the last fifty sends of the process, and no older one", async () => {
  const { clock, call, codes } = createCodes();
  const send = (code: LoginCode) => codes.send(code, ["SMS"]);
  call.milliseconds = 5000;
  for (let sent = 0; sent < 1000; sent++) await send(real);
  call.milliseconds = 0;
  for (let sent = 0; sent < 50; sent++) await send(real);
  const before = clock.now();
  for (let sent = 0; sent < 100; sent++) await send(suppressed);
  // Nothing has waited, or the test would not have come here.
  expect(clock.now()).toBe(before);
});
