import { createManualClock } from "@doorcode/core/testing";
import { expect, test } from "vitest";
import { createDeadline } from "../../src/util/clock.ts";

const clock = createManualClock();

test("rejects all work that is waited for when the time is over, and work that comes later", async () => {
  const deadline = createDeadline(clock, 2, () => new Error("too late"));
  const never = new Promise<never>(() => undefined);
  const waiting = [deadline.race(never), deadline.race(never)].map((work) => work.catch(String));
  expect(deadline.isOver).toBe(false);
  await clock.advance(2000);
  expect(await Promise.all(waiting)).toEqual(["Error: too late", "Error: too late"]);
  expect(deadline.isOver).toBe(true);
  await expect(deadline.race(never)).rejects.toThrow("too late");
});
