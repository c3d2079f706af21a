import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { afterAnswer, answerAndHandOver } from "../../src/util/after-answer.ts";

test("the work that a host gets ends only when the work that it began ends", async () => {
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const given: Promise<unknown>[] = [];
  const answer = await answerAndHandOver(
    (work) => given.push(work),
    async () => {
      afterAnswer(first.promise.then(() => afterAnswer(second.promise)));
      return "answer";
    },
  );
  let hasEnded = false;
  const ended = Promise.all(given).then(() => {
    hasEnded = true;
  });
  first.resolve();
  await setImmediate();
  expect([answer, given.length, hasEnded]).toEqual(["answer", 1, false]);
  second.resolve();
  await ended;
});
