import { createRandom } from "../simulation/random.ts";
import type { Scenario } from "./scenarios.ts";
import type { Decide } from "./scheduler.ts";
import { chooseAtRandom, follow, type Outcome, prepare, runSchedule, type Schedule, withOneMore } from "./schedules.ts";
import { describeTrace } from "./trace.ts";
import type { Prepared } from "./world.ts";

/** What is explored of a scenario. */
export interface Extent {
  /** The number of schedules. */
  readonly schedules: number;
  readonly seed: number;
  /** True to explore no more of a scenario after an invariant was broken. */
  readonly endsWhenBroken?: boolean;
}

/** A schedule after which an invariant does not hold. */
export interface Failure {
  readonly scenario: string;
  readonly invariant: string;
  readonly how: string;
  /** The number of the schedule of its scenario that was the first to break it. */
  readonly found: number;
  /** The smallest schedule that breaks it. */
  readonly schedule: Schedule;
  readonly trace: readonly string[];
}

/** What came of a scenario. */
export interface Explored {
  readonly scenario: string;
  /** The schedules that were listed in their order, and those that were drawn. */
  readonly systematic: number;
  readonly random: number;
  /** True when every schedule within the bound was run. */
  readonly isComplete: boolean;
  /** A number made of all schedules, and of the calls that could go on at each of their steps. */
  readonly fingerprint: number;
  readonly failures: readonly Failure[];
}

/** What the schedules with one deviation more are made of. */
type Parent = Pick<Outcome, "schedule" | "optionCounts">;

/** A kind of schedules that are listed: the number of deviations, and how many of them are faults. */
interface Bound {
  readonly deviations: 1 | 2;
  readonly faults: number;
  /** At most this part of the schedules that are left. If there are more, they are taken evenly. */
  readonly part: number;
}

const bounds: readonly Bound[] = [
  { deviations: 1, faults: 0, part: 1 },
  { deviations: 1, faults: 1, part: 1 },
  { deviations: 2, faults: 0, part: 0.3 },
  { deviations: 2, faults: 1, part: 0.7 },
];

/**
 * Explores a scenario: the schedules within each bound, one after the other, and then schedules at random. The same seed gives the
 * same schedules.
 */
export async function explore(scenario: Scenario, extent: Extent): Promise<Explored> {
  const exploration = await Exploration.begin(scenario, extent);
  const { systematic, isComplete } = await exploration.runListed();
  await exploration.runAtRandom();
  return {
    ...{ scenario: scenario.title, systematic, random: exploration.run - systematic, isComplete },
    fingerprint: exploration.fingerprint,
    failures: [...exploration.failures.values()],
  };
}

/** The exploration of one scenario. */
class Exploration {
  readonly failures = new Map<string, Failure>();
  readonly #scenario: Scenario;
  readonly #prepared: Prepared;
  readonly #extent: Extent;
  /** The number of schedules that were run. */
  run = 0;
  fingerprint = 0;

  private constructor(scenario: Scenario, prepared: Prepared, extent: Extent) {
    this.#scenario = scenario;
    this.#prepared = prepared;
    this.#extent = extent;
  }

  static async begin(scenario: Scenario, extent: Extent): Promise<Exploration> {
    return new Exploration(scenario, await prepare(scenario), extent);
  }

  /** Runs the schedules within the bounds, as far as their part goes. */
  async runListed(): Promise<Pick<Explored, "systematic" | "isComplete">> {
    const withOne: Parent[] = [];
    const parents = { 1: [await this.#runOne(follow([]))], 2: withOne };
    let isComplete = true;
    for (const { deviations, faults, part } of bounds) {
      const longer = parents[deviations].flatMap((parent) => [...withOneMore(parent)]);
      const listed = longer.filter((schedule) => schedule.filter(({ isFault }) => isFault).length === faults);
      const most = Math.floor((this.#extent.schedules - this.run) * part);
      const stride = Math.max(1, listed.length / most);
      if (stride > 1) isComplete = false;
      for (let place = 0; place < listed.length && !this.#isOver; place += stride) {
        const schedule = listed[Math.floor(place)] ?? [];
        const { optionCounts } = await this.#runOne(follow(schedule));
        if (deviations === 1) withOne.push({ schedule, optionCounts });
      }
    }
    return { systematic: this.run, isComplete };
  }

  /** Runs schedules at random. */
  async runAtRandom(): Promise<void> {
    const random = createRandom(this.#extent.seed);
    while (!this.#isOver) await this.#runOne(chooseAtRandom(random));
  }

  get #isOver(): boolean {
    const { schedules, endsWhenBroken } = this.#extent;
    return this.run >= schedules || (endsWhenBroken === true && this.failures.size > 0);
  }

  async #runOne(decide: Decide): Promise<Outcome> {
    const outcome = await runSchedule(this.#scenario, this.#prepared, decide);
    const found = ++this.run;
    const facts = [...outcome.optionCounts.map(({ all }) => all), ...outcome.schedule.map(({ option }) => option)];
    for (const fact of facts) this.fingerprint = (Math.imul(this.fingerprint, 31) + fact) | 0;
    for (const { invariant, how } of outcome.broken) {
      if (this.failures.has(invariant.holds)) continue;
      const least = await this.#shrink(outcome, invariant.holds);
      this.failures.set(invariant.holds, {
        ...{ scenario: this.#scenario.title, invariant: invariant.holds, how, found },
        ...{ schedule: least.schedule, trace: describeTrace(least) },
      });
    }
    return outcome;
  }

  /** Takes deviations out of a schedule while it still breaks the invariant, faults first. */
  async #shrink(outcome: Outcome, holds: string): Promise<Outcome> {
    const { schedule } = outcome;
    for (const deviation of schedule.toSorted((left, right) => Number(right.isFault) - Number(left.isFault))) {
      const shorter = follow(schedule.filter((other) => other !== deviation));
      const tried = await runSchedule(this.#scenario, this.#prepared, shorter);
      const isBroken = tried.broken.some(({ invariant }) => invariant.holds === holds);
      if (isBroken && tried.schedule.length < schedule.length) return this.#shrink(tried, holds);
    }
    return outcome;
  }
}
