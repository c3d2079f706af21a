import { expect, test } from "vitest";
import { createAttemptQueue, type QueuedAttempt } from "../src/webhook/attempt-queue.ts";

const attempt = (index: number, more: Partial<QueuedAttempt> = {}): QueuedAttempt => ({
  deliveryId: `dlv_${index}`,
  cause: "schedule",
  ...more,
});

test("attempts start in their order, never more than the limit at once, also after thousands", async () => {
  const started: string[] = [];
  let running = 0;
  let most = 0;
  const queue = createAttemptQueue(3, async ({ deliveryId }) => {
    started.push(deliveryId);
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
  });
  const all = Array.from({ length: 5_000 }, (_, index) => attempt(index));
  for (const each of all) queue.add(each);
  await queue.settled();
  expect(started).toEqual(all.map(({ deliveryId }) => deliveryId));
  expect([most, running]).toEqual([3, 0]);
});

test("an attempt does not start in the run of code that adds it", async () => {
  let started = false;
  const queue = createAttemptQueue(1, async () => {
    started = true;
  });
  queue.add(attempt(1));
  expect(started).toBe(false);
  await queue.settled();
  expect(started).toBe(true);
});

test("a queue is settled when also the attempts are complete that followed from others", async () => {
  const made: string[] = [];
  const queue = createAttemptQueue(1, async ({ deliveryId }) => void made.push(deliveryId));
  queue.add(attempt(1, { recorded: () => queue.add(attempt(2, { recorded: () => queue.add(attempt(3)) })) }));
  await queue.settled();
  expect(made).toEqual(["dlv_1", "dlv_2", "dlv_3"]);
  await queue.settled();
});

test("an attempt that cannot be made is reported to its caller, and the next one is made", async () => {
  const made: string[] = [];
  const queue = createAttemptQueue(1, async ({ deliveryId }) => {
    if (deliveryId === "dlv_1") throw new Error("The disk is full.");
    made.push(deliveryId);
  });
  const failed = new Promise((resolve) => queue.add(attempt(1, { failed: resolve })));
  queue.add(attempt(2));
  await expect(failed).resolves.toEqual(new Error("The disk is full."));
  await queue.settled();
  expect(made).toEqual(["dlv_2"]);
});
