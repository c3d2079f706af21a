import { createWakeUp, type InboxVerdict, type TakenEntry } from "@doorcode/core/inbox";
import { createManualClock } from "@doorcode/core/testing";
import { expect, test } from "vitest";
import type { RunStatement } from "../src/connection/run-statement.ts";
import { startInboxWorker } from "../src/inbox/inbox-worker.ts";

const takeOverSeconds = 300;
const renewalMilliseconds = (takeOverSeconds / 3) * 1000;

/** A worker that takes these entries, at the same time, from a table whose statements are only counted. */
async function workOn(...keys: readonly string[]) {
  const clock = createManualClock();
  const counts = { takes: 0, renewals: 0, verdicts: 0 };
  const renewed: unknown[] = [];
  const run: RunStatement = async (text, values) => {
    if (text.includes("RETURNING 'settled'")) {
      counts.verdicts++;
      return [{}];
    }
    if (text.includes("unnest")) {
      counts.renewals++;
      renewed.push(values[0]);
      return [];
    }
    counts.takes++;
    const isFirst = counts.takes === 1;
    return isFirst ? keys.map((key) => ({ key, body: "", failures: "0", replayed: "false", deaths: "0" })) : [];
  };
  const deps = {
    run,
    table: "inbox",
    clock,
    takeOverSeconds,
    pollSeconds: 60,
    keepSeconds: 7200,
    keepDeadLettersSeconds: 7200,
  };
  const verdicts = new Map(keys.map((key) => [key, Promise.withResolvers<InboxVerdict>()]));
  const handle = async ({ key }: TakenEntry) => (await verdicts.get(key)?.promise) ?? { action: "complete" as const };
  const errors: unknown[] = [];
  const options = { concurrency: keys.length, onError: (error: unknown) => void errors.push(error) };
  const worker = startInboxWorker(deps, handle, options, createWakeUp(clock));
  await clock.advance(0);
  const complete = (key: string) => verdicts.get(key)?.resolve({ action: "complete" });
  return { clock, counts, renewed, errors, worker, complete };
}

test("renews its hold on an entry three times in the time to take over, and not beyond two hours", async () => {
  const { clock, counts } = await workOn("key");
  await clock.advance(3 * renewalMilliseconds);
  const renewed = counts.renewals;
  await clock.advance(7_200_000);
  const last = counts.renewals;
  await clock.advance(7_200_000);
  expect(renewed).toBe(3);
  expect(last).toBe(7_200_000 / renewalMilliseconds - 1);
  expect(counts.renewals).toBe(last);
});

test("renews its hold on exactly those entries that have no verdict yet", async () => {
  const { clock, renewed, complete } = await workOn("a", "b", "c");
  for (const key of ["b", "c", "a"]) {
    await clock.advance(renewalMilliseconds);
    complete(key);
  }
  await clock.advance(3 * renewalMilliseconds);
  expect(renewed).toEqual([["a", "b", "c"], ["a", "c"], ["a"]]);
});

test("asks for no more entries while it has no room, and at once when it has", async () => {
  const { clock, counts, complete } = await workOn("key");
  await clock.advance(600_000);
  const full = counts.takes;
  complete("key");
  await clock.advance(0);
  expect([full, counts.takes, counts.verdicts]).toEqual([1, 2, 1]);
});

test("gives up at its limit what is not done, and leaves no timer behind", async () => {
  const { clock, counts, errors, worker, complete } = await workOn("key");
  const stopped = worker.stop({ limitSeconds: 5 });
  await clock.advance(5000);
  await stopped;
  await clock.advance(renewalMilliseconds);
  expect([counts.renewals, counts.takes]).toEqual([0, 1]);
  complete("key");
  await clock.advance(0);
  expect([clock.pending, errors]).toEqual([0, []]);
});
