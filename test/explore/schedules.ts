import type { ExploredRequest } from "./history.ts";
import { type Invariant, invariants } from "./invariants.ts";
import type { Scenario } from "./scenarios.ts";
import type { Decide, Step } from "./scheduler.ts";
import { type Prepared, World } from "./world.ts";

/** A schedule: the steps at which it does something else than to answer the next call. A step is a place and an option. */
export type Schedule = readonly Deviation[];

/** A step that does something else than to answer the next call of the request that came last. */
export interface Deviation {
  readonly step: number;
  readonly option: number;
  /** True if something fails. Otherwise another call goes first. */
  readonly isFault: boolean;
}

/** What came of a schedule. */
export interface Outcome {
  readonly schedule: Schedule;
  readonly steps: readonly Step[];
  /** The options of each step: how many answer a call, and how many there are. */
  readonly optionCounts: readonly { readonly answers: number; readonly all: number }[];
  readonly requests: readonly ExploredRequest[];
  readonly broken: readonly { readonly invariant: Invariant; readonly how: string }[];
}

/** Prepares a scenario for many schedules. */
export async function prepare({ options, prepare: act }: Scenario): Promise<Prepared> {
  const world = await World.open(options);
  await act(world);
  return world.prepared;
}

/** Everything has expired by then: what lives longest, the failures of a number, is kept for 400 days. */
const yearsSeconds = 2 * 400 * 86_400;

/** Runs a schedule: the requests with their faults, then what people do afterwards, and then the invariants. */
export async function runSchedule(scenario: Scenario, prepared: Prepared, decide: Decide): Promise<Outcome> {
  const world = await World.open(scenario.options, prepared);
  const { scheduler, history, store } = world;
  const schedule: Deviation[] = [];
  const optionCounts: Outcome["optionCounts"][number][] = [];
  const send = () => scenario.requests(world).map((sending) => world.send(sending));
  history.isEnded = await scheduler.run(send, (answers, all) => {
    const option = Math.min(decide(answers, all), all - 1);
    if (option > 0) schedule.push({ step: optionCounts.length, option, isFault: option >= answers });
    optionCounts.push({ answers, all });
    return option;
  });
  await scenario.finish(world);
  await store.find(history);
  await scheduler.pass(yearsSeconds);
  history.found.left.push(...(await store.findLeft()));
  const broken = invariants.flatMap((invariant) => {
    const how = invariant.broken(history);
    return how === undefined ? [] : [{ invariant, how }];
  });
  return { schedule, steps: scheduler.steps, optionCounts, requests: history.requests, broken };
}

/** Follows a schedule. */
export function follow(schedule: Schedule): Decide {
  let step = 0;
  return () => {
    const place = step++;
    return schedule.find((deviation) => deviation.step === place)?.option ?? 0;
  };
}

/** Chooses at random: another call now and then, and up to three faults. */
export function chooseAtRandom(random: { fraction(): number; integer(below: number): number }): Decide {
  let faultsLeft = random.integer(4);
  const switchChance = random.fraction() / 2;
  return (answers, all) => {
    if (faultsLeft > 0 && random.fraction() < 0.08) {
      faultsLeft--;
      return answers + random.integer(all - answers);
    }
    return random.fraction() < switchChance ? random.integer(answers) : 0;
  };
}

/** Lists the schedules with one deviation more, at a later step. */
export function* withOneMore({
  schedule,
  optionCounts,
}: Pick<Outcome, "schedule" | "optionCounts">): Generator<Schedule> {
  for (let step = (schedule.at(-1)?.step ?? -1) + 1; step < optionCounts.length; step++) {
    const { answers, all } = optionCounts[step] ?? { answers: 0, all: 0 };
    for (let option = 1; option < all; option++) yield [...schedule, { step, option, isFault: option >= answers }];
  }
}
