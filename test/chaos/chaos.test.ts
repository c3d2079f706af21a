import { describe, expect, onTestFinished, test } from "vitest";
import { canStartPostgres } from "../support/postgres-server.ts";
import { isInstalled } from "../support/redis-server.ts";
import { countFailed, describeOutcome, type Outcome } from "./figures.ts";
import { gatherHistory, keysDone } from "./gather.ts";
import { createLedgerReader } from "./ledger.ts";
import { eventsPerBatch } from "./load.ts";
import { judgeLogins } from "./logins.ts";
import { judge } from "./oracle.ts";
import { missed, runChaos } from "./run-chaos.ts";
import { type ChaosOptions, type Stage, setStage } from "./stage.ts";
import { startPostgresStore, startRedisStore } from "./store.ts";

/** The same seed plans the same run; how its processes interleave is theirs. */
const seed = Number(process.env.DOORCODE_CHAOS_SEED ?? 20_261);
/** Of the largest run. */
const events = Number(process.env.DOORCODE_CHAOS_EVENTS ?? 100_000);

/** A noisy machine needs several times what a quiet one does; a run ends by itself when nothing moves any more. */
const timeout = 20 * 60_000;

/** Runs the chaos, prints its figures, and answers all that is known of it. */
async function perform(title: string, options: Omit<ChaosOptions, "seed">): Promise<Outcome & Stage> {
  const stage = await setStage({ ...options, seed });
  onTestFinished(() => stage.close(), timeout);
  const { sandbox, loginApplication, store, ledgers } = stage;
  const reader = createLedgerReader(ledgers);
  const deliveries = () => [sandbox, loginApplication].flatMap((application) => application.deliveries.list());
  const performance = await runChaos(stage, async () => {
    const done = keysDone({ lines: reader.read(), committed: await store.committed() }).size;
    return { done, wanted: deliveries().length - countFailed(deliveries()) + missed };
  });
  const { interruptions } = performance;
  const records = { deliveries: deliveries(), lines: reader.read(), committed: await store.committed(), interruptions };
  const outcome = { ...stage, ...records, performance, history: gatherHistory(records) };
  process.stdout.write(describeOutcome(title, outcome));
  return outcome;
}

/** What must hold, whatever is between the service and the handlers. */
function expectNothingLost({ plan, performance, deliveries, lines, history, apps }: Outcome & Stage): void {
  const { interruptions, logins, reconciliations } = performance;
  const published = new Set(lines.flatMap((line) => (line.type === "published" ? line.event : [])));
  expect(judge(history).slice(0, 20)).toEqual([]);
  expect(judgeLogins(logins, lines, interruptions)).toEqual([]);
  expect(countFailed(deliveries)).toBe(2 * missed);
  expect(reconciliations.map(({ failed, remaining }) => failed + remaining)).toEqual([0, 0]);
  expect(apps.map(({ ownEnds }) => ownEnds)).toEqual([0, 0, 0]);
  expect(published).not.toContain("webhook.dead_lettered");
  expect(interruptions).toHaveLength(plan.disruptions.length);
}

describe("an app of three processes, while they and their store end by kill -9, and events come twice, late, cut and in disorder", () => {
  test.skipIf(!isInstalled("redis-server"))(
    "loses nothing of 100,000 events on Redis, and no effect or login stands twice",
    { timeout },
    async () => {
      const outcome = await perform("Chaos on Redis, with an inbox", {
        size: { batches: Math.ceil(events / eventsPerBatch), kills: 12, restarts: 4, loginsAtOnce: 14 },
        durable: true,
        startStore: startRedisStore,
      });
      expectNothingLost(outcome);
      expect(outcome.deliveries.length).toBeGreaterThanOrEqual(events);
      expect(outcome.performance.logins).toHaveLength(17 * 14);
    },
  );

  test.skipIf(!canStartPostgres())(
    "loses nothing on PostgreSQL, where each effect is written in the transaction that marks its event",
    { timeout },
    async () => {
      const outcome = await perform("Chaos on PostgreSQL, with an inbox and transactions", {
        size: { batches: 5, kills: 4, restarts: 2, loginsAtOnce: 8 },
        durable: true,
        startStore: startPostgresStore,
      });
      expectNothingLost(outcome);
    },
  );

  test.skipIf(!isInstalled("redis-server"))(
    "loses nothing without an inbox, where handlers run before the answer",
    { timeout },
    async () => {
      const outcome = await perform("Chaos on Redis, without an inbox", {
        size: { batches: 9, kills: 4, restarts: 2, loginsAtOnce: 8 },
        durable: false,
        startStore: startRedisStore,
      });
      expectNothingLost(outcome);
    },
  );
});
