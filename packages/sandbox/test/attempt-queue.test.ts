import { expect, test } from "vitest";
import { createAttemptQueue } from "../src/webhook/publisher.ts";

test("attempts start in their order, never more than the limit at once, also after thousands", async () => {
  const started: number[] = [];
  let running = 0;
  let max = 0;
  const queue = createAttemptQueue(3);
  const numbers = Array.from({ length: 5_000 }, (_, index) => index);
  for (const number of numbers) {
    void queue.add(async () => {
      started.push(number);
      max = Math.max(max, ++running);
      await Promise.resolve();
      running--;
    });
  }
  await queue.settled();
  expect(started).toEqual(numbers);
  expect([max, running]).toEqual([3, 0]);
});

test("an attempt does not start in the run of code that adds it", async () => {
  let started = false;
  const queue = createAttemptQueue(1);
  void queue.add(async () => {
    started = true;
  });
  expect(started).toBe(false);
  await queue.settled();
  expect(started).toBe(true);
});

test("a queue is settled when also the attempts are complete that followed from others", async () => {
  const made: string[] = [];
  const queue = createAttemptQueue(1);
  const make = (...names: readonly string[]) =>
    queue.add(async () => {
      const [first = "", ...rest] = names;
      await Promise.resolve();
      made.push(first);
      if (rest.length > 0) void make(...rest);
    });
  void make("one", "two", "three");
  await queue.settled();
  expect(made).toEqual(["one", "two", "three"]);
  await queue.settled();
});

test("an attempt that cannot be made is reported to its caller, and the next one is made", async () => {
  const made: string[] = [];
  const queue = createAttemptQueue(1);
  const failed = queue.add(() => Promise.reject(new Error("The disk is full.")));
  const next = queue.add(async () => void made.push("next"));
  await expect(failed).rejects.toThrow("The disk is full.");
  await next;
  await queue.settled();
  expect(made).toEqual(["next"]);
});
