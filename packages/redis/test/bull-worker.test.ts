import { EventEmitter } from "node:events";
import { createManualClock } from "@doorcode/core/testing";
import { Redis } from "ioredis";
import { expect, test, vi } from "vitest";
import type { BullEngine } from "../src/inbox/bull-engine.ts";
import { startBullWorker } from "../src/inbox/bull-worker.ts";

test("one error that rejects several commands of a worker is reported once, and the worker goes on", async () => {
  const close = vi.fn(async () => undefined);
  const bullWorker = Object.assign(new EventEmitter(), {
    close,
    waitUntilReady: async () => undefined,
    pause: async () => undefined,
    resume: () => undefined,
    isPaused: () => false,
  });
  const engine = {
    Worker: function Worker() {
      return bullWorker;
    },
  } as unknown as BullEngine;
  // Never connects, so it has not ended either.
  const client = new Redis({ lazyConnect: true });
  const errors: unknown[] = [];
  const worker = await startBullWorker(
    engine,
    async () => ({ action: "complete" }),
    { concurrency: 1, onError: (error) => void errors.push(error) },
    {
      client,
      name: "events",
      prefix: "{app}",
      clock: createManualClock(),
      timeoutSeconds: 2,
      takeOverSeconds: 30,
      keepSeconds: 7200,
      keepDeadLettersSeconds: 60,
    },
  );
  const lost = new Error("The connection was lost.");
  for (let command = 0; command < 3; command++) bullWorker.emit("error", lost);

  expect(errors).toEqual([lost]);
  expect(close).not.toHaveBeenCalled();
  await worker.stop({ limitSeconds: 0 });
  expect(close).toHaveBeenCalledTimes(1);
});
