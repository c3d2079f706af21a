import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { type Clock, scheduleAfterTurn } from "../../src/util/clock.ts";

/** A clock whose instant a test sets, and the delays of the tasks that are scheduled on it. */
function createSettableClock() {
  const state = { now: 1_000_000 };
  const delays = new Set<{ readonly milliseconds: number }>();
  const clock: Clock = {
    now: () => state.now,
    schedule(milliseconds) {
      const entry = { milliseconds };
      delays.add(entry);
      return () => delays.delete(entry);
    },
  };
  return { clock, state, scheduled: () => [...delays].map(({ milliseconds }) => milliseconds) };
}

test("a task that is cancelled within the turn of the event loop is never scheduled", async () => {
  const { clock, scheduled } = createSettableClock();
  const cancel = scheduleAfterTurn(clock, 4000, () => {});
  await Promise.resolve();
  cancel();
  await setImmediate();
  expect(scheduled()).toEqual([]);
});

test("a task that is still wanted after the turn is due when it was asked for, and can be cancelled then", async () => {
  const { clock, state, scheduled } = createSettableClock();
  const cancel = scheduleAfterTurn(clock, 4000, () => {});
  state.now += 1500;
  await setImmediate();
  expect(scheduled()).toEqual([2500]);
  cancel();
  expect(scheduled()).toEqual([]);
});

test("a clock that is set back makes no delay longer", async () => {
  const { clock, state, scheduled } = createSettableClock();
  scheduleAfterTurn(clock, 4000, () => {});
  state.now -= 3_600_000;
  await setImmediate();
  expect(scheduled()).toEqual([4000]);
});

test.each([4000, -500])("a task in %i milliseconds that is due before the turn ends runs at once", async (delay) => {
  const { clock, state, scheduled } = createSettableClock();
  scheduleAfterTurn(clock, delay, () => {});
  state.now += 5000;
  await setImmediate();
  expect(scheduled()).toEqual([0]);
});
