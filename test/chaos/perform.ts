import { expect, onTestFailed, onTestFinished } from "vitest";
import { buildHistory, readFailedCalls, settledKeys } from "./build-history.ts";
import { eventsPerBatch } from "./load.ts";
import { classify, judgeLogins } from "./logins.ts";
import { judge } from "./oracle.ts";
import type { ChaosSize } from "./plan.ts";
import { createLogReader } from "./process-log.ts";
import { countFailed, describeOutcome, type Outcome } from "./report.ts";
import { runChaos } from "./run-chaos.ts";
import { type ChaosOptions, setUpChaos } from "./setup.ts";

/** Plans the runs. How their processes interleave is not planned. */
const seed = Number(process.env.DOORCODE_CHAOS_SEED ?? 20_261);
/** True for `npm run chaos`, which asks for more events and prints its figures. */
const isAskedFor = process.env.DOORCODE_CHAOS_EVENTS !== undefined;
/** The events of the largest run of `npm run chaos`, and of all runs together in `npm test`. */
export const events = Number(process.env.DOORCODE_CHAOS_EVENTS ?? 10_000);
/** The part of these events that the largest run has; each of the three others has a fifth of them. */
export const largestShare: number = isAskedFor ? 1 : 0.4;

/** A run ends by itself when nothing happens any more. This limit is for a machine that is many times slower. */
export const timeout: number = 20 * 60_000 * Math.max(1, events / 100_000);

/** Answers the size of a run: of all events, or of a share of them. */
export function sizeOf(share: number): ChaosSize {
  const batches = Math.ceil((events * share) / eventsPerBatch);
  if (batches >= 50) return { batches, kills: 12, restarts: 4, usersAtOnce: 14, missed: 500 };
  if (batches >= 5) return { batches, kills: 4, restarts: 2, usersAtOnce: 8, missed: 100 };
  return { batches, kills: 3, restarts: 1, usersAtOnce: 8, missed: 100 };
}

/** Runs the chaos and asserts that nothing was lost. Prints its figures if it was asked for or fails. */
export async function performChaos(title: string, options: Omit<ChaosOptions, "seed">): Promise<Outcome> {
  const setup = await setUpChaos({ ...options, seed });
  onTestFinished(() => setup.close(), timeout);
  const { sandbox, loginApplication, store, logs } = setup;
  const reader = createLogReader(logs);
  const deliveries = () => [sandbox, loginApplication].flatMap((application) => application.deliveries.list());
  const run = await runChaos(setup, async () => {
    const done = settledKeys({ lines: reader.read(), committed: await store.committed() }).size;
    return { done, wanted: deliveries().length - countFailed(deliveries()) + options.size.missed };
  });
  const lines = reader.read();
  const interruptions = [...run.interruptions, ...readFailedCalls(lines)];
  const arrivals = setup.arrivals();
  const records = { deliveries: deliveries(), lines, committed: await store.committed(), interruptions, arrivals };
  const outcome = { ...setup, ...records, run, history: buildHistory(records) };
  const print = () => void process.stdout.write(describeOutcome(title, outcome));
  if (isAskedFor) print();
  else onTestFailed(print);
  expectDisruptions(outcome, options.size);
  expectNothingLost(outcome, options.size);
  return outcome;
}

/** Asserts that everything happened that the run is for: without it, a run that is too short would pass. */
function expectDisruptions({ plan, run, loadBalancer }: Outcome, { kills, restarts, usersAtOnce }: ChaosSize): void {
  const ofStore = run.interruptions.filter(({ process }) => process === undefined);
  const { cut, late, lost, refused } = loadBalancer;
  expect([run.interruptions.length - ofStore.length, ofStore.length]).toEqual([kills, restarts]);
  expect(kills).toBeGreaterThanOrEqual(3);
  expect(restarts).toBeGreaterThanOrEqual(1);
  expect(cut.count).toBeGreaterThanOrEqual(plan.events / 500);
  expect(lost.count).toBeGreaterThanOrEqual(plan.events / 1000);
  expect(late.count).toBeGreaterThanOrEqual(1);
  expect(refused.count).toBeGreaterThanOrEqual(10 * restarts);
  expect(run.faults.filter(({ fired }) => fired === 0)).toEqual([]);
  expect(run.logins).toHaveLength((kills + restarts + 1) * usersAtOnce);
  expect(classify(run.logins).untouched).toBeLessThan(run.logins.length);
}

/** Asserts what must hold, with an inbox and without. */
function expectNothingLost({ run, deliveries, lines, history, apps }: Outcome, { missed }: ChaosSize): void {
  const { logins, reconciliations } = run;
  const published = new Set(lines.flatMap((line) => (line.type === "published" ? line.event : [])));
  expect(judge(history).slice(0, 20)).toEqual([]);
  expect(judgeLogins(logins, lines, history.interruptions)).toEqual([]);
  expect(countFailed(deliveries)).toBe(2 * missed);
  expect(reconciliations.map(({ failed }) => failed)).toEqual([0, 0]);
  expect(apps.map(({ ownEnds }) => ownEnds)).toEqual([0, 0, 0]);
  expect(published).not.toContain("webhook.dead_lettered");
}
