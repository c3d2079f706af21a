import { setTimeout as pause } from "node:timers/promises";
import type { Reconciliation } from "@doorcode/core";
import type { Interruption } from "./history.ts";
import { monotonicNow } from "./ledger.ts";
import { createLoad } from "./load.ts";
import type { LoggedIn } from "./person.ts";
import type { Disruption } from "./plan.ts";
import type { Stage } from "./stage.ts";

/** What happened on the stage, beside what the service and the processes wrote down. */
export interface Performance {
  readonly interruptions: readonly Interruption[];
  readonly logins: readonly Login[];
  readonly reconciliations: readonly Reconciliation[];
  /** Deliveries that were made once more by hand, since all attempts had failed. */
  readonly sentAgain: number;
  /** From the first request to the last effect. */
  readonly seconds: number;
}

/** A login at the end of the run. */
export interface Login extends LoggedIn {
  /** Whose account the browser then sees. */
  readonly account: string;
}

/** How far the app is with the events that it has to be done with. */
export interface Progress {
  readonly done: number;
  readonly wanted: number;
}

/** Events that the service has sent and nobody has acknowledged: of the whole run, and at most. So much is under way. */
const [backlogShare, maxBacklog] = [0.1, 3000];
/** Messages whose webhooks are all lost, and the first of their numbers. */
export const missed = 500;
const firstMissed = 9_000_000;
/** So long what a killed process had taken may stay its own; what is later comes while the clock is moved by hand. */
const takeOverMilliseconds = 16_000;
/** When nothing is done for that long, what is left is missing. */
const standstillMilliseconds = 60_000;

/** Runs the plan: load, logins and disruptions at once; then what is late, an outage, and the catching up after it. */
export async function runChaos(stage: Stage, progress: () => Promise<Progress>): Promise<Performance> {
  const { sandbox, people, wire, plan } = stage;
  const begun = monotonicNow();
  const since = new Date(sandbox.clock.now());
  await people.moveOn(0);
  const [interruptions] = await Promise.all([disturb(stage), feed(stage)]);
  const loggedIn = await people.finish();
  const takenOverAt = (interruptions.at(-1)?.to ?? begun) + takeOverMilliseconds;
  await Promise.race([wire.acknowledged.reached(plan.events), pause(Math.max(0, takenOverAt - monotonicNow()))]);
  const sentAgain = await deliverLate(stage);
  const reconciliations = await missOutage(stage, since);
  await workOff(progress);
  const seconds = (monotonicNow() - begun) / 1000;
  const logins = loggedIn.map(async (login): Promise<Login> => ({ ...login, account: await login.readAccount() }));
  return { interruptions, logins: await Promise.all(logins), reconciliations, sentAgain, seconds };
}

/** Waits until that many were acknowledged. When nobody acknowledges any more the run goes on, and the oracle says what is missing. */
async function isAcknowledged({ wire: { acknowledged } }: Stage, count: number): Promise<void> {
  let before: number;
  do {
    before = acknowledged.count;
    await Promise.race([acknowledged.reached(count), pause(standstillMilliseconds, undefined, { ref: false })]);
  } while (acknowledged.count < count && acknowledged.count > before);
}

async function feed(stage: Stage): Promise<void> {
  const { sandbox, plan } = stage;
  const load = createLoad(sandbox);
  const backlog = Math.min(maxBacklog, Math.floor(plan.events * backlogShare));
  for (let index = 0; index < plan.batches; index++) {
    await load.batch(index);
    await isAcknowledged(stage, ((index + 1) * plan.events) / plan.batches - backlog);
  }
}

async function disturb(stage: Stage): Promise<readonly Interruption[]> {
  const interruptions: Interruption[] = [];
  for (const disruption of stage.plan.disruptions) {
    await isAcknowledged(stage, disruption.at);
    await stage.people.moveOn(disruption.answers);
    interruptions.push(await (disruption.what === "store" ? restartStore(stage) : killProcess(stage, disruption)));
  }
  return interruptions;
}

async function killProcess({ apps }: Stage, { process }: Disruption): Promise<Interruption> {
  const from = monotonicNow();
  await apps[process]?.kill();
  const to = monotonicNow();
  await apps[process]?.start();
  return { from, to, process };
}

/** How often the app refuses before the store comes back, and how long that may take. */
const feltRefusals = 50;
const maxAwayMilliseconds = 3000;

async function restartStore({ store, wire }: Stage): Promise<Interruption> {
  const felt = wire.refused.reached(wire.refused.count + feltRefusals);
  const from = monotonicNow();
  await store.kill();
  await Promise.race([felt, pause(maxAwayMilliseconds)]);
  await store.restart();
  return { from, to: monotonicNow(), process: undefined };
}

/** Lets the rest of the schedule pass, and then has sent again what failed in spite of it. */
async function deliverLate({ sandbox, loginApplication }: Stage): Promise<number> {
  let count = 0;
  for (const { clock, deliveries } of [sandbox, loginApplication]) {
    clock.set("frozen");
    await clock.advance("2h");
    for (let round = 0; round < 10; round++) count += (await deliveries.replayFailed()).length;
  }
  return count;
}

/** The app hears of some messages nothing at all, and then asks what became of them: twice, and not only of those. */
async function missOutage({ sandbox, apps }: Stage, since: Date): Promise<readonly Reconciliation[]> {
  sandbox.faults.clear();
  sandbox.faults.add({ on: "webhook", action: { type: "drop" } });
  await createLoad(sandbox).messages(missed, firstMissed);
  await sandbox.clock.advance("2h");
  const reconciliations: Reconciliation[] = [];
  for (const app of apps.slice(0, 2)) reconciliations.push(await app.reconcile(since));
  return reconciliations;
}

async function workOff(progress: () => Promise<Progress>): Promise<void> {
  let [most, lastAt] = [0, monotonicNow()];
  for (;;) {
    const { done, wanted } = await progress();
    if (done > most) [most, lastAt] = [done, monotonicNow()];
    if (done >= wanted || monotonicNow() - lastAt > standstillMilliseconds) return;
    await pause(250);
  }
}
