import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createMemoryStore } from "../../src/store/memory.ts";
import { createChangeListeners } from "../../src/util/change-listeners.ts";
import { type Clock, wait } from "../../src/util/clock.ts";
import type { MessageStatusEvent } from "../../src/webhooks/event.ts";
import { createReceiver } from "../../src/webhooks/receiver.ts";
import { messageEvent } from "./receiver-setup.ts";

/** A clock that runs all tasks of one millisecond together: the manual clock takes each of them alone. */
function createMillisecondClock() {
  const tasks = new Map<number, Set<() => void>>();
  const counted = { pending: 0, maxPending: 0 };
  let now = Date.UTC(2026, 8, 21);
  const clock: Clock = {
    now: () => now,
    schedule(delayMilliseconds, task) {
      const due = now + delayMilliseconds;
      const ofInstant = tasks.get(due) ?? new Set();
      tasks.set(due, ofInstant.add(task));
      counted.pending += 1;
      counted.maxPending = Math.max(counted.maxPending, counted.pending);
      return () => {
        if (ofInstant.delete(task)) counted.pending -= 1;
      };
    },
  };
  return {
    clock,
    counted,
    async tick(): Promise<void> {
      // What an event begins is on the clock when the turn is over.
      await setImmediate();
      now += 1;
      for (const task of tasks.get(now) ?? []) {
        counted.pending -= 1;
        task();
      }
      tasks.delete(now);
      await setImmediate();
    },
  };
}

/** Sets up a receiver whose handler takes a millisecond. */
function setUpReceiver() {
  const { clock, counted, tick } = createMillisecondClock();
  const store = createMemoryStore({ clock });
  const handled = new Map<string, string[]>();
  const running = new Set<string>();
  const overlaps: string[] = [];
  const handle = async ({ data: { message_id = "", status = "" } }: MessageStatusEvent) => {
    if (running.has(message_id)) overlaps.push(message_id);
    running.add(message_id);
    await wait(clock, 1);
    running.delete(message_id);
    handled.set(message_id, [...(handled.get(message_id) ?? []), status]);
  };
  const receiver = createReceiver({
    store,
    clock,
    name: "app",
    handlers: { "message.status.update": handle },
    handlerSeconds: 60,
    publish() {},
    changes: createChangeListeners(),
  });
  const receive = (event: MessageStatusEvent) => receiver.receive(event, clock.now());
  return { receive, handled, overlaps, counted, tick };
}

function statusEvent(status: string, second: number, messageId: string): MessageStatusEvent {
  const event = messageEvent(status, second, messageId);
  if (event.kind !== "message.status.update") throw new TypeError(event.kind);
  return event;
}

test("10,000 events at once are handled in the order of each message, and leave nothing on the clock", async () => {
  const { receive, handled, overlaps, counted, tick } = setUpReceiver();
  const steps = [...Array(50).keys()];
  const messages = Array.from({ length: 200 }, (_, index) => `msg_${index}`);
  const answers = steps.flatMap((step) =>
    messages.map((message) => receive(statusEvent(`step ${step}`, step, message))),
  );
  for (let millisecond = 0; millisecond <= steps.length; millisecond++) await tick();

  expect(new Set(await Promise.all(answers))).toEqual(new Set(["handled"]));
  expect(overlaps).toEqual([]);
  const inOrder = steps.map((step) => `step ${step}`);
  expect(messages.filter((message) => handled.get(message)?.join() !== inOrder.join())).toEqual([]);
  // One task for each event that waits, and for each handler that runs its own, its limit and the renewal of its lease.
  expect(counted.maxPending).toBeLessThanOrEqual(answers.length + 3 * messages.length);
  expect(counted.pending).toBe(0);
});
