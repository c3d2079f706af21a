import type { FaultLimits, FaultRule } from "@doorcode/sandbox";
import { eventsPerBatch } from "./load.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** The size of a run. */
export interface ChaosSize {
  /** How often the service is asked for 450 messages and ten verifications. */
  readonly batches: number;
  /** How often a process of the app is killed with `kill -9`. */
  readonly kills: number;
  /** How often the store is killed with `kill -9`, and started again; or how often a file is held by another program. */
  readonly restarts: number;
  /** Logins that start, and as many that are confirmed, around each disruption. */
  readonly usersAtOnce: number;
  /** Messages of which no webhook arrives, so that the app has to ask for them. */
  readonly missed: number;
}

/** A kill of a process or of the store. */
export interface Disruption {
  /** It happens when that many events were acknowledged. */
  readonly at: number;
  readonly what: "process" | "store";
  /** The process of the app. */
  readonly process: number;
  /** It waits until the logins that it is to meet got that many answers. */
  readonly answers: number;
}

/** The course of a run, all of it from the seed. How the processes interleave is not planned. */
export interface ChaosPlan {
  readonly seed: number;
  readonly batches: number;
  readonly missed: number;
  /** How many events the service will send. */
  readonly events: number;
  readonly disruptions: readonly Disruption[];
  readonly faults: readonly (FaultRule & FaultLimits)[];
  /** The share of events whose first answer reaches the service late. */
  readonly lateShare: number;
  /** The share of events whose first answer never reaches the service. */
  readonly lostShare: number;
}

/** Processes of the app. */
export const processes = 3;

/** Disruptions happen in this part of a run, so that there is load before and after each of them. */
const [earliest, latest] = [0.04, 0.82];

/** A late answer occupies a connection of the service for five seconds, so a long run has few of them. */
const [lateShare, minLateAnswers] = [0.0006, 6];

/** Plans a run. */
export function createPlan(
  random: SeededRandom,
  { batches, kills, restarts, usersAtOnce, missed }: ChaosSize,
): ChaosPlan {
  const events = batches * eventsPerBatch;
  const count = kills + restarts;
  const stores = new Set(
    Array.from({ length: restarts }, (_, index) => Math.floor(((index + 0.5) * count) / restarts)),
  );
  const disruptions = Array.from({ length: count }, (_, index): Disruption => {
    const share = earliest + ((latest - earliest) * (index + random.fraction("moment", index))) / count;
    return {
      at: Math.floor(events * share),
      what: stores.has(index) ? "store" : "process",
      process: pickProcess(random, index),
      answers: random.integer(usersAtOnce, "answers", index),
    };
  });
  return {
    ...{ seed: random.seed, batches, missed, events, disruptions, faults: planFaults(random) },
    lateShare: Math.max(lateShare, minLateAnswers / events),
    lostShare: 0.005,
  };
}

/** Picks each process once per round, each round in another order. */
function pickProcess(random: SeededRandom, index: number): number {
  const round = Math.floor(index / processes);
  const order = Array.from({ length: processes }, (_, process) => process);
  order.sort((left, right) => random.fraction("turn", round, left) - random.fraction("turn", round, right));
  return order[index % processes] ?? 0;
}

/** Plans the faults of the service. Several of them may strike the same delivery. */
function planFaults(random: SeededRandom): readonly (FaultRule & FaultLimits)[] {
  const rules: readonly [FaultRule, probability: number][] = [
    [{ on: "webhook", action: { type: "duplicate" } }, 0.04],
    [{ on: "message.status.update", status: "SENT", action: { type: "reorder" } }, 0.3],
    [{ on: "webhook", action: { type: "delay", seconds: 120 } }, 0.01],
    [{ on: "webhook", action: { type: "cut" } }, 0.01],
    [{ on: "webhook", action: { type: "drop" } }, 0.005],
    [{ on: "webhook", action: { type: "corrupt_signature" } }, 0.003],
    [{ on: "webhook", action: { type: "stale_timestamp", seconds: 400 } }, 0.002],
    [{ on: "webhook", action: { type: "odd_json" } }, 0.01],
    [{ on: "webhook", action: { type: "two_secrets" } }, 0.005],
  ];
  return rules.map(([rule, probability], index) => ({
    ...rule,
    probability,
    seed: random.integer(2 ** 32, "fault", index),
  }));
}

/** Describes the disruptions of a plan. */
export function describePlan({ disruptions }: ChaosPlan): string {
  return disruptions
    .map(({ at, what, process }) => `${what === "store" ? "store" : `process ${process}`} at ${at}`)
    .join(", ");
}
