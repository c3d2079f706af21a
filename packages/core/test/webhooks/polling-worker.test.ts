import { expect, test } from "vitest";
import { createManualClock } from "../../src/testing.ts";
import type { InboxVerdict, TakenEntry } from "../../src/webhooks/inbox.ts";
import { type EntryOutcome, type HeldEntry, startPollingWorker } from "../../src/webhooks/polling-worker.ts";

const takeOverSeconds = 300;
const renewalMilliseconds = (takeOverSeconds / 3) * 1000;
const [keepSeconds, keepDeadLettersSeconds] = [7200, 86_400];

function held(key: string): HeldEntry {
  return { entry: { key, body: "", failures: 2, replayed: false, deaths: 0 }, holder: "this worker" };
}

/** A worker that takes these entries at the same time, from a table whose operations are only counted. */
async function workOn(...keys: readonly string[]) {
  const clock = createManualClock();
  const taken = keys.map(held);
  const counts = { takes: 0, renewals: 0 };
  const renewed: unknown[] = [];
  const outcomes: EntryOutcome[] = [];
  const entries = {
    take: async () => (++counts.takes === 1 ? taken : []),
    async renew(holds: readonly HeldEntry[]) {
      counts.renewals++;
      renewed.push(holds.map(({ entry }) => entry.key));
    },
    settle: async (_held: HeldEntry, outcome: EntryOutcome) => outcomes.push(outcome) > 0,
  };
  const deps = { entries, clock, takeOverSeconds, pollSeconds: 60, keepSeconds, keepDeadLettersSeconds };
  const verdicts = new Map(taken.map(({ entry }) => [entry.key, Promise.withResolvers<InboxVerdict>()]));
  const handle = async ({ key }: TakenEntry) => (await verdicts.get(key)?.promise) ?? { action: "complete" as const };
  const errors: unknown[] = [];
  const options = { concurrency: taken.length, onError: (error: unknown) => void errors.push(error) };
  const worker = startPollingWorker(deps, handle, options);
  await clock.advance(0);
  const judge = (key: string, verdict: InboxVerdict) => verdicts.get(key)?.resolve(verdict);
  const complete = (key: string) => judge(key, { action: "complete" });
  return { clock, counts, renewed, outcomes, errors, worker, judge, complete };
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

test("asks for no more entries while it has no room, and immediately when it has", async () => {
  const { clock, counts, outcomes, complete } = await workOn("key");
  await clock.advance(600_000);
  const full = counts.takes;
  complete("key");
  await clock.advance(0);
  expect([full, counts.takes, outcomes.length]).toEqual([1, 2, 1]);
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

test("handles nothing that it is given after the limit of its stop", async () => {
  const clock = createManualClock();
  const late = Promise.withResolvers<readonly HeldEntry[]>();
  const entries = { take: () => late.promise, renew: async () => undefined, settle: async () => true };
  const handled: TakenEntry[] = [];
  const handle = async (entry: TakenEntry) => {
    handled.push(entry);
    return { action: "complete" as const };
  };
  const deps = { entries, clock, takeOverSeconds, pollSeconds: 60, keepSeconds, keepDeadLettersSeconds };
  const worker = startPollingWorker(deps, handle, { concurrency: 1, onError: (error) => expect.fail(String(error)) });
  const stopped = worker.stop({ limitSeconds: 1 });
  await clock.advance(1000);
  await stopped;
  late.resolve([held("key")]);
  await clock.advance(2000);
  expect([handled, clock.pending]).toEqual([[], 0]);
});
