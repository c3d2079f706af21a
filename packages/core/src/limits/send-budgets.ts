import type { CounterState } from "../store/store.ts";
import type { Clock } from "../util/clock.ts";
import {
  type Budget,
  type BudgetDeps,
  type BudgetOwner,
  type BudgetStates,
  lookedAt,
  nameOf,
  refusalOf,
  waitAfter,
} from "./budgets.ts";
import type { LoginLimits } from "./login-limits.ts";
import type { CounterQuery } from "./query.ts";

/*
 * The codes of a day are counted in parts of six hours, and those of the last four parts count with those of the current one. So no
 * number gets more codes than its limit in any 24 hours, whenever they begin. A code is counted before the parts are added up: of any
 * number of codes at once, none passes the limit.
 */

const partSeconds = 6 * 3600;
const partsOfDay = 4;

/** The dependencies of the budgets of a code. */
export interface SendBudgetDeps extends BudgetDeps {
  readonly clock: Clock;
}

/** What the budgets of a code say. */
export interface SendBudgetStates extends BudgetStates {
  /** The codes within a day, with this one, and what they may be. */
  readonly count: number;
  readonly threshold: number;
}

/**
 * Returns the query that reserves a code in all budgets of its owner.
 *
 * @param by - 0 only looks at them.
 */
export function sendBudgetQuery(deps: SendBudgetDeps, owner: BudgetOwner, by: 0 | 1): CounterQuery<SendBudgetStates> {
  const threshold = sendsPerDay(deps, owner);
  const part = currentPart(deps);
  const ofDay = dayParts(deps, owner);
  const others = [windowBudget(deps, owner), ...pauseBudgets(deps, owner)];
  const [current] = ofDay as readonly [Budget, ...Budget[]];
  return {
    changes: [
      ...ofDay.map((budget, index) => ({ ...budget, by: index === 0 ? by : 0 })),
      ...others.map((budget) => ({ ...budget, by })),
    ],
    read(states) {
      const [currentState = absent, ...earlier] = states.slice(0, ofDay.length);
      const otherStates = states.slice(ofDay.length);
      const sum = [currentState, ...earlier].reduce((count, state) => count + state.count, 0);
      const isGranted = by === 0 ? sum < threshold : currentState.granted && sum <= threshold;
      const day = {
        granted: isGranted,
        count: sum,
        secondsLeft: secondsUntilNext(deps, part, [currentState, ...earlier]),
      };
      const looked = by === 0 ? otherStates.map((state, index) => lookedAt(state, others[index])) : otherStates;
      const isReserved = (state: CounterState | undefined) => by === 1 && state?.granted === true;
      return {
        refusal: refusalOf([current, ...others], [day, ...looked]),
        granted: [
          ...(isReserved(currentState) ? [current] : []),
          ...others.filter((_, index) => isReserved(otherStates[index])),
        ],
        count: sum + 1 - by,
        threshold,
        pauseSeconds: Math.max(0, ...others.map((budget, index) => waitAfter(budget, otherStates[index]))),
      };
    },
  };
}

const absent: CounterState = { granted: true, count: 0, secondsLeft: 0 };

/** Returns the keys of all budgets of an owner. */
export function sendBudgetKeys(deps: SendBudgetDeps, owner: BudgetOwner): readonly string[] {
  return [...dayParts(deps, owner), windowBudget(deps, owner), ...pauseBudgets(deps, owner)].map(({ key }) => key);
}

/**
 * Returns the codes that an owner may have within a day. All known devices but the newest one have theirs together, or each of them would
 * bring more texts.
 */
function sendsPerDay({ limits }: BudgetDeps, { knownDevice }: BudgetOwner): number {
  if (knownDevice === undefined) return limits.sendsPerPhonePerDay;
  return knownDevice === "newest" ? limits.sendsPerDevicePerDay : sendsPerOtherDevices(limits);
}

/** Returns the codes of a day that all known devices of a number may have together, without the one that has proven it last. */
export function sendsPerOtherDevices({ sendsPerDevicePerDay }: Pick<LoginLimits, "sendsPerDevicePerDay">): number {
  return Math.ceil(sendsPerDevicePerDay / 10);
}

/** The keys have short words, because there may be a million of them. */
function keyOf({ name }: BudgetDeps, owner: BudgetOwner, word: string): string {
  return `${name}:${word}:${nameOf(owner)}`;
}

function currentPart({ clock }: SendBudgetDeps): number {
  return Math.floor(clock.now() / 1000 / partSeconds);
}

/** Returns the budgets of the parts of a day, the current one first. */
function dayParts(deps: SendBudgetDeps, owner: BudgetOwner): readonly Budget[] {
  const part = currentPart(deps);
  return Array.from({ length: partsOfDay + 1 }, (_, before) => ({
    key: `${keyOf(deps, owner, "d")}.${part - before}`,
    by: 1,
    limit: sendsPerDay(deps, owner),
    ttlSeconds: (partsOfDay + 1) * partSeconds,
    refusal: "send_limit_reached",
  }));
}

/** Returns the time until the oldest codes do not count any more; 0 if there are none. */
function secondsUntilNext({ clock }: SendBudgetDeps, part: number, states: readonly CounterState[]): number {
  const oldest = states.findLastIndex(({ count }) => count > 0);
  if (oldest < 0) return 0;
  return (part - oldest + partsOfDay + 1) * partSeconds - clock.now() / 1000;
}

function windowBudget(deps: BudgetDeps, owner: BudgetOwner): Budget {
  const { sendsPerPhone, sendWindowSeconds } = deps.limits;
  return {
    key: keyOf(deps, owner, "s"),
    by: 1,
    limit: sendsPerPhone,
    ttlSeconds: sendWindowSeconds,
    refusal: "send_limit_reached",
  };
}

/** Returns the budgets that put a pause after each code: the first pause after the first one, and so on. */
function pauseBudgets(deps: BudgetDeps, owner: BudgetOwner): readonly Budget[] {
  // After the first share one may be taken in the first pause, after the second share two in the second pause, and so on.
  const pauses = deps.limits.cooldownSeconds.map(
    (ttlSeconds, index): Budget => ({
      key: keyOf(deps, owner, `c${index + 1}`),
      by: 1,
      limit: index + 1,
      ttlSeconds,
      // Each share waits for the one before it, even if one was given back in between.
      renew: true,
      refusal: "cooldown",
      isPause: true,
    }),
  );
  return pauses.filter(({ ttlSeconds }) => ttlSeconds > 0);
}
