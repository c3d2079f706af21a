import { expect } from "vitest";
import type { Show } from "../describe-part.ts";
import { startReceiver } from "../support/receiver.ts";
import { phone, send, startSandbox } from "../support/sandbox.ts";

/** What passes before each further attempt: nearly all of it, and the last millisecond. */
const almost = ["29s999ms", "1m59s999ms", "9m59s999ms", "59m59s999ms"];

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

  sandbox("events.retry-schedule.row-5", async () => {
    const { running, receiver } = await failing();
    await running.clock.advance("50ms");
    for (const [index, before] of almost.entries()) {
      await running.clock.advance(before);
      expect(receiver.arrivals).toHaveLength(index + 1);
      await running.clock.advance("1ms");
      expect(receiver.arrivals).toHaveLength(index + 2);
    }
  });

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
