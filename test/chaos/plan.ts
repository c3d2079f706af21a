import type { FaultLimits, FaultRule } from "@doorcode/sandbox";
import type { Dice } from "./dice.ts";
import { eventsPerBatch } from "./load.ts";

/** How much of what there is in a run. */
export interface ChaosSize {
  /** How often the service is asked for five hundred messages and some verifications. */
  readonly batches: number;
  /** How often a process of the app ends by `kill -9`. */
  readonly kills: number;
  /** How often the store ends by `kill -9`, and comes back. */
  readonly restarts: number;
  /** Logins that begin, and as many that end, around each of those. */
  readonly loginsAtOnce: number;
}

/** Something that ends without a word. */
export interface Disruption {
  /** It happens when that many events were acknowledged. */
  readonly at: number;
  readonly what: "process" | "store";
  /** Which process. */
  readonly process: number;
  /** It waits until that many answers came to the logins that it is to meet. */
  readonly answers: number;
}

/** What is to happen, all of it from the seed. How the processes interleave is theirs. */
export interface ChaosPlan {
  readonly seed: number;
  readonly batches: number;
  /** How many events the service will send. */
  readonly events: number;
  readonly disruptions: readonly Disruption[];
  readonly faults: readonly (FaultRule & FaultLimits)[];
}

/** Processes of the app. */
export const processes = 3;

/** The part of a run in which things end: what follows them is to happen under load, too. */
const [earliest, latest] = [0.04, 0.82];

/** Plans a run. */
export function createPlan(dice: Dice, { batches, kills, restarts, loginsAtOnce }: ChaosSize): ChaosPlan {
  const events = batches * eventsPerBatch;
  const count = kills + restarts;
  const stores = new Set(
    Array.from({ length: restarts }, (_, index) => Math.floor(((index + 0.5) * count) / restarts)),
  );
  const disruptions = Array.from({ length: count }, (_, index): Disruption => {
    const share = earliest + ((latest - earliest) * (index + dice.roll("moment", index))) / count;
    return {
      at: Math.floor(events * share),
      what: stores.has(index) ? "store" : "process",
      process: pickProcess(dice, index),
      answers: dice.pick(loginsAtOnce, "answers", index),
    };
  });
  return { seed: dice.seed, batches, events, disruptions, faults: planFaults(dice) };
}

/** Each process in its turn, in an order of its own each time round. */
function pickProcess(dice: Dice, index: number): number {
  const round = Math.floor(index / processes);
  const order = Array.from({ length: processes }, (_, process) => process);
  order.sort((left, right) => dice.roll("turn", round, left) - dice.roll("turn", round, right));
  return order[index % processes] ?? 0;
}

/** The service's own: each strikes by itself, and some strike together. */
function planFaults(dice: Dice): readonly (FaultRule & FaultLimits)[] {
  const rules: readonly [FaultRule, probability: number][] = [
    [{ on: "webhook", action: { type: "duplicate" } }, 0.04],
    [{ on: "message.status.update", status: "SENT", action: { type: "reorder" } }, 0.03],
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
    seed: dice.pick(2 ** 32, "fault", index),
  }));
}

/** The plan in a few lines. */
export function describePlan({ disruptions }: ChaosPlan): string {
  return disruptions
    .map(({ at, what, process }) => `${what === "store" ? "store" : `process ${process}`} at ${at}`)
    .join(", ");
}
