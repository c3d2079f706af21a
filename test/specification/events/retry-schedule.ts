import { expect } from "vitest";
import type { Show } from "../describe-part.ts";
import { startReceiver } from "../support/receiver.ts";
import { phone, send, startSandbox } from "../support/sandbox.ts";

/** What passes before each attempt: nearly all of it, and the last millisecond. */
const delays = [
  ["events.retry-schedule.row-2", "29s999ms"],
  ["events.retry-schedule.row-3", "1m59s999ms"],
  ["events.retry-schedule.row-4", "9m59s999ms"],
  ["events.retry-schedule.row-5", "59m59s999ms"],
] as const;

/** "Retry schedule". */
export function showRetrySchedule({ sandbox }: Show): void {
  sandbox("events.retry-schedule.row-1", async () => {
    const { running, receiver } = await failing();
    await running.clock.advance("49ms");
    expect(receiver.arrivals).toEqual([]);
    // The event happens now, and so does its first attempt.
    await running.clock.advance("1ms");
    expect(receiver.statuses()).toEqual(["SENT"]);
  });

  for (const [index, [id, almost]] of delays.entries()) {
    sandbox(id, async () => {
      const { running, receiver } = await failing();
      await running.clock.advance("50ms");
      for (const [, before] of delays.slice(0, index)) {
        await running.clock.advance(before);
        await running.clock.advance("1ms");
      }
      expect(receiver.arrivals).toHaveLength(index + 1);
      await running.clock.advance(almost);
      expect(receiver.arrivals).toHaveLength(index + 1);
      await running.clock.advance("1ms");
      expect(receiver.arrivals).toHaveLength(index + 2);
    });
  }

  sandbox("events.retry-schedule.1", async () => {
    const { running, receiver } = await failing();
    await running.clock.advance("1h12m30s");
    expect(running.deliveries.list()).toMatchObject([{ status: "pending" }]);
    await running.clock.advance("50ms");
    expect(running.deliveries.list()).toMatchObject([{ status: "failed", nextAttemptAt: undefined }]);
    await running.clock.advance("12h");
    expect(receiver.arrivals).toHaveLength(5);
  });
}

/** Sends one event, SENT after 50 milliseconds, to an endpoint that refuses everything. */
async function failing() {
  const running = await startSandbox({ behaviours: { [phone]: "never_delivered" } });
  const receiver = await startReceiver(500);
  running.deliverTo(receiver.url);
  await send(running);
  return { running, receiver };
}
