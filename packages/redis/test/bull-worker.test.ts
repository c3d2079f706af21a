import { EventEmitter } from "node:events";
import { createManualClock } from "@doorcode/core/testing";
import { Redis } from "ioredis";
import { expect, test, vi } from "vitest";
import type { BullEngine } from "../src/inbox/bull-engine.ts";
import { createBullWorker } from "../src/inbox/bull-worker.ts";

test("one error that rejects several commands of a worker is reported once, and the worker goes on after a pause", async () => {
  const fake = {
    isPaused: () => fake.pause.mock.calls.length > fake.resume.mock.calls.length,
    pause: vi.fn(async () => undefined),
    resume: vi.fn(async () => undefined),
    close: vi.fn(async () => undefined),
  };
  const bullWorker = Object.assign(new EventEmitter(), fake);
  const engine = {
    Worker: function Worker() {
      return bullWorker;
    },
  } as unknown as BullEngine;
  const clock = createManualClock();
  const errors: unknown[] = [];
  const worker = createBullWorker(
    engine,
    async () => ({ action: "complete" }),
    { concurrency: 1, onError: (error) => void errors.push(error) },
    {
      client: new Redis({ lazyConnect: true }),
      name: "events",
      prefix: "{app}",
      clock,
      timeoutSeconds: 2,
      takeOverSeconds: 30,
      keepSeconds: 7200,
      keepDeadLettersSeconds: 60,
    },
  );
  const lost = new Error("The connection was lost.");
  for (let command = 0; command < 3; command++) bullWorker.emit("error", lost);

  expect(errors).toEqual([lost]);
  expect(fake.pause).toHaveBeenCalledTimes(1);
  await clock.advance(1000);
  expect(fake.resume).toHaveBeenCalledTimes(1);
  expect(fake.close).not.toHaveBeenCalled();
  await worker.close();
  expect(fake.close).toHaveBeenCalledTimes(1);
});
