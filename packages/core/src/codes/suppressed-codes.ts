import { randomInt, randomUUID } from "node:crypto";
import { type Clock, wait } from "../util/clock.ts";
import type { CodeStrategy } from "./code-strategy.ts";

/**
 * Lets the app suppress codes: they are not sent, no code is right, and both take as long and ask the store for as much as usual. `wrap`
 * adds to the timed `owner` what asks no service for some numbers.
 */
export function withSuppressedCodes(
  owner: CodeStrategy,
  clock: Clock,
  wrap: (timed: CodeStrategy) => CodeStrategy,
): CodeStrategy {
  const sends = createDurations(clock);
  const checks = createDurations(clock);
  const codes = wrap({
    ...owner,
    send: (...args) => sends.measure(() => owner.send(...args)),
    check: (...args) =>
      checks.measure(
        () => owner.check(...args),
        (result) => result === "wrong",
      ),
  });

  return {
    ...codes,
    async send(code, channels) {
      if (!code.isSuppressed) return codes.send(code, channels);
      await sends.waitAsLong();
      // The kit stores a random id for a suppressed text, because it stores an id for a sent one.
      return owner.sendsMessages ? { messageId: randomUUID() } : {};
    },
    async check(typed, code) {
      if (!code.isSuppressed) return codes.check(typed, code);
      if (owner.answersOnce) {
        // The service knows nothing of this login.
        await checks.waitAsLong();
        return "wrong";
      }
      const result = await owner.check(typed, code);
      return result === "right" ? "wrong" : result;
    },
  };
}

const maxRemembered = 50;
/** A call that seems to take longer, or less than no time, has met a clock that was set. */
const maxMilliseconds = 60_000;
/** A process that has made no call yet waits for a time in this range. */
const firstMilliseconds = { min: 200, max: 700 };

function createDurations(clock: Clock) {
  const remembered: number[] = [];
  const draw = () =>
    remembered[randomInt(Math.max(1, remembered.length))] ?? randomInt(firstMilliseconds.min, firstMilliseconds.max);

  return {
    /** Makes a call, and remembers how long it took if its result counts. A call that fails does not count. */
    async measure<Result>(call: () => Promise<Result>, counts: (result: Result) => boolean = () => true) {
      const startedAt = clock.now();
      const result = await call();
      const milliseconds = clock.now() - startedAt;
      if (!counts(result) || milliseconds < 0 || milliseconds > maxMilliseconds) return result;
      remembered.push(milliseconds);
      if (remembered.length > maxRemembered) remembered.shift();
      return result;
    },
    /** Waits as long as one of the recent calls took, chosen at random. */
    async waitAsLong() {
      const milliseconds = draw();
      if (milliseconds > 0) await wait(clock, milliseconds);
    },
  };
}
