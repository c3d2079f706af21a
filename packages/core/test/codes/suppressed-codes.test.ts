import { createManualClock } from "@doorcode/core/testing";
import { expect, test } from "vitest";
import type { CodeCheckResult, CodeStrategy, LoginCode } from "../../src/codes/code-strategy.ts";
import { withSuppressedCodes } from "../../src/codes/suppressed-codes.ts";

const real = {} as LoginCode;
const suppressed = { isSuppressed: true } as LoginCode;

/** Creates codes that the app owns, and that take as long to send as the test says. */
function createCodes(result: CodeCheckResult = "wrong") {
  const clock = createManualClock();
  const call = { milliseconds: 0, clockSetBy: 0 };
  let setBy = 0;
  const settable = { ...clock, now: () => clock.now() + setBy };
  const owner: CodeStrategy = {
    digits: { min: 6, max: 6 },
    lifetimeSeconds: 300,
    channels: { default: ["SMS"] },
    answersOnce: false,
    sendsMessages: false,
    lengthensCodes: () => true,
    async send() {
      await clock.advance(call.milliseconds);
      setBy += call.clockSetBy;
      return {};
    },
    check: async () => result,
  };
  return { clock, call, codes: withSuppressedCodes(owner, settable, (timed) => timed) };
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

test("L16: a suppressed code takes as long as a send, also after a clock that was set during one", async () => {
  const { clock, call, codes } = createCodes();
  const send = (code: LoginCode) => codes.send(code, ["SMS"]);
  call.milliseconds = 300;
  for (const hours of [-1, 2, 0]) {
    call.clockSetBy = hours * 3_600_000;
    await send(real);
  }
  for (let sent = 0; sent < 20; sent++) {
    let isDone = false;
    const sending = send(suppressed).then(() => {
      isDone = true;
    });
    await clock.advance(299);
    expect(isDone).toBe(false);
    await clock.advance(1);
    expect(isDone).toBe(true);
    await sending;
  }
});

test.each([true, false])(
  "a suppressed code has an id of a message if those of its owner have one: %s",
  async (sendsMessages) => {
    const clock = createManualClock();
    const owner = { sendsMessages, send: async () => ({}) } as Partial<CodeStrategy> as CodeStrategy;
    const codes = withSuppressedCodes(owner, clock, (timed) => timed);
    const sending = codes.send(suppressed, ["SMS"]);
    await clock.advance(1000);
    expect(typeof (await sending).messageId).toBe(sendsMessages ? "string" : "undefined");
  },
);
