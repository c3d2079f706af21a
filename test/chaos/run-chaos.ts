import { setTimeout as pause } from "node:timers/promises";
import type { Reconciliation } from "@doorcode/core";
import type { Fault } from "@doorcode/sandbox";
import type { Interruption } from "./history.ts";
import { createLoad } from "./load.ts";
import type { Disruption } from "./plan.ts";
import { monotonicNow } from "./process-log.ts";
import type { ChaosSetup } from "./setup.ts";
import type { ChaosStore } from "./store.ts";
import type { LoggedIn } from "./user.ts";

/** The course of a run, beside the records of the service and of the processes. */
export interface ChaosRun {
  readonly interruptions: readonly Interruption[];
  readonly logins: readonly Login[];
  readonly reconciliations: readonly Reconciliation[];
  /** The faults of the service, and how often each of them struck. */
  readonly faults: readonly Fault[];
  /** Deliveries that were sent once more by hand, since all attempts had failed. */
  readonly sentAgain: number;
  /** From the first request to the last effect. */
  readonly seconds: number;
}

/** A login at the end of the run. */
export interface Login extends LoggedIn {
  /** The account that the browser then sees. */
  readonly account: string;
}

/** The events that the app is done with, and those that it must be done with at the end. */
export interface Progress {
  readonly done: number;
  readonly wanted: number;
}

/** Events that were sent and not acknowledged: at most this share of the run, and at most that many. */
const [backlogShare, maxBacklog] = [0.1, 3000];
/** The first number of the messages whose webhooks are all lost. */
const firstMissed = 9_000_000;
/** When nothing happens for that long, the run ends, and the oracle reports what is missing. */
const standstillMilliseconds = 60_000;

/** Runs the plan: load, logins and disruptions at once; then late deliveries, an outage, and the catching up after it. */
export async function runChaos(setup: ChaosSetup, progress: () => Promise<Progress>): Promise<ChaosRun> {
  const { sandbox, users } = setup;
  const begun = monotonicNow();
  const since = new Date(sandbox.clock.now());
  await users.moveOn(0);
  const [{ interruptions, holdsEnded }] = await Promise.all([disrupt(setup), feed(setup)]);
  const loggedIn = await users.finish();
  await holdsEnded;
  const sentAgain = await deliverLate(setup);
  const faults = sandbox.faults.list();
  const reconciliations = await missOutage(setup, since);
  await finishWork(progress);
  const seconds = (monotonicNow() - begun) / 1000;
  const logins = loggedIn.map(async (login): Promise<Login> => ({ ...login, account: await login.readAccount() }));
  return { interruptions, logins: await Promise.all(logins), reconciliations, faults, sentAgain, seconds };
}

/** Waits until that many events were acknowledged, or until none is acknowledged any more. */
async function isAcknowledged({ loadBalancer: { acknowledged } }: ChaosSetup, count: number): Promise<void> {
  let before: number;
  do {
    before = acknowledged.count;
    await Promise.race([acknowledged.reached(count), pause(standstillMilliseconds, undefined, { ref: false })]);
  } while (acknowledged.count < count && acknowledged.count > before);
}

async function feed(setup: ChaosSetup): Promise<void> {
  const { sandbox, plan } = setup;
  const load = createLoad(sandbox);
  const backlog = Math.min(maxBacklog, Math.floor(plan.events * backlogShare));
  for (let index = 0; index < plan.batches; index++) {
    await load.batch(index);
    await isAcknowledged(setup, ((index + 1) * plan.events) / plan.batches - backlog);
  }
}

async function disrupt(setup: ChaosSetup) {
  const interruptions: Interruption[] = [];
  const endings: Promise<void>[] = [];
  for (const disruption of setup.plan.disruptions) {
    await isAcknowledged(setup, disruption.at);
    await setup.users.moveOn(disruption.answers);
    interruptions.push(await (disruption.what === "store" ? restartStore(setup) : killProcess(setup, disruption)));
    endings.push(endHoldsBefore(Date.now(), setup.store));
  }
  return { interruptions, holdsEnded: Promise.all(endings) };
}

/** Longer than a living process needs to end or renew what it holds: each call of the store takes two seconds at most. */
const abandonedMilliseconds = 5000;

/** Ends, some time after an interruption, what was held before it: the holder is dead, or has given up. */
async function endHoldsBefore(instant: number, store: ChaosStore): Promise<void> {
  await pause(abandonedMilliseconds);
  const end = () => store.endHolds(instant).catch(() => false);
  // The next interruption may be one of the store.
  while ((await end()) === false) await pause(100);
}

async function killProcess({ apps }: ChaosSetup, { process }: Disruption): Promise<Interruption> {
  const from = monotonicNow();
  await apps[process]?.kill();
  const to = monotonicNow();
  await apps[process]?.start();
  return { from, to, process };
}

/** The store comes back when the app has refused that many deliveries, and after this time at the latest. */
const [feltRefusals, maxAwayMilliseconds] = [50, 3000];

async function restartStore({ store, loadBalancer: { refused } }: ChaosSetup): Promise<Interruption> {
  const felt = refused.reached(refused.count + feltRefusals);
  const from = monotonicNow();
  await store.kill();
  await Promise.race([felt, pause(maxAwayMilliseconds)]);
  await store.restart();
  return { from, to: monotonicNow(), process: undefined };
}

/** Lets the rest of the retry schedule pass, and then sends again what failed nevertheless. */
async function deliverLate({ sandbox, loginApplication }: ChaosSetup): Promise<number> {
  let count = 0;
  for (const { clock, deliveries } of [sandbox, loginApplication]) {
    clock.set("frozen");
    await clock.advance("2h");
    for (let round = 0; round < 10; round++) count += (await deliveries.replayFailed()).length;
  }
  return count;
}

/** Loses every webhook of some messages. Two processes of the app then ask what became of the messages. */
async function missOutage({ sandbox, apps, plan }: ChaosSetup, since: Date): Promise<readonly Reconciliation[]> {
  sandbox.faults.clear();
  sandbox.faults.add({ on: "webhook", action: { type: "drop" } });
  await createLoad(sandbox).messages(plan.missed, firstMissed);
  await sandbox.clock.advance("2h");
  const reconciliations: Reconciliation[] = [];
  for (const app of apps.slice(0, 2)) reconciliations.push(await app.reconcile(since));
  return reconciliations;
}

async function finishWork(progress: () => Promise<Progress>): Promise<void> {
  let [most, lastAt] = [0, monotonicNow()];
  for (;;) {
    const { done, wanted } = await progress();
    if (done > most) [most, lastAt] = [done, monotonicNow()];
    if (done >= wanted || monotonicNow() - lastAt > standstillMilliseconds) return;
    await pause(100);
  }
}
