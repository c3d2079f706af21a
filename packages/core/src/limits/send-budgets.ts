import type { CounterState, Store } from "../store/store.ts";
import {
  type Budget,
  type BudgetDeps,
  type BudgetOwner,
  type BudgetStates,
  giveBack,
  grantedOf,
  lookedAt,
  nameOf,
  refusalOf,
  waitAfter,
} from "./budgets.ts";
import type { CounterQuery } from "./query.ts";

/*
 * Five limits or more hold for the codes to a number, and an attack leaves a million numbers with one code each. So the first code of a
 * day is counted in one entry, that of the day: its age tells what the others would contain. The second code, and each one after it, is
 * counted in all of them, in a trip more. An entry that is missing then begins with the first code, as long as its time would last.
 */

const daySeconds = 86_400;

/**
 * A later code waits while the day's entry is about to end. If it ended between the two trips, the next code would be the first of a
 * day and see none of the other's shares: both would be sent. A store answers sooner, or fails.
 */
const lastSecondsOfDay = 10;

/** The budgets of one code to a number. */
export interface SendBudgets {
  readonly ofDay: Budget;
  /** Those that hold for a part of the day: the window, and the pauses. */
  readonly ofParts: readonly Budget[];
}

/** What the budgets of a code say after one trip. */
export interface SendBudgetStates extends BudgetStates {
  /** The shares that are still to be reserved. The first code of a day has none. */
  readonly missing: readonly Budget[];
}

/** Returns the budgets of one code to a number. Their keys have short words, because there may be a million of them. */
export function sendBudgets({ name, limits }: BudgetDeps, owner: BudgetOwner): SendBudgets {
  const ownerName = nameOf(owner);
  const ofDay: Budget = {
    key: `${name}:d:${ownerName}`,
    by: 1,
    limit: owner.device === undefined ? limits.sendsPerPhonePerDay : limits.sendsPerDevicePerDay,
    ttlSeconds: daySeconds,
    refusal: "send_limit_reached",
  };
  const inWindow: Budget = {
    key: `${name}:s:${ownerName}`,
    by: 1,
    limit: limits.sendsPerPhone,
    ttlSeconds: limits.sendWindowSeconds,
    refusal: "send_limit_reached",
  };
  const pauseKey = (number: number) => `${name}:c${number}:${ownerName}`;
  return { ofDay, ofParts: [inWindow, ...pauseBudgets(limits.cooldownSeconds, pauseKey)] };
}

/** Returns the budgets that put a pause after each share: the first pause after the first one, and so on. */
function pauseBudgets(pauseSeconds: readonly number[], keyOf: (number: number) => string): readonly Budget[] {
  // After the first share one may be taken in the first pause, after the second share two in the second pause, and so on.
  const pauses = pauseSeconds.map(
    (ttlSeconds, index): Budget => ({
      key: keyOf(index + 1),
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

/**
 * Returns the query that reserves a share of the day, and looks at the others. What it finds missing is to be reserved with
 * {@link reserveMissing}.
 *
 * @param by - 0 only looks at all of them.
 */
export function sendBudgetQuery({ ofDay, ofParts }: SendBudgets, by: 0 | 1): CounterQuery<SendBudgetStates> {
  const endOfDay: Budget = { ...ofDay, refusal: "cooldown" };
  const budgets = [ofDay, ...ofParts, endOfDay];
  return {
    changes: [{ ...ofDay, by }, ...ofParts.map((budget) => ({ ...budget, by: 0 }))],
    read([day = absent, ...stored]) {
      const isReserved = by === 1 && day.granted;
      const earlierCodes = day.count - Number(isReserved);
      const parts = ofParts.map((budget, index) => {
        const known = stored[index]?.count ? stored[index] : undefined;
        return known ?? (earlierCodes > 0 ? ofFirstCode(budget, day) : absent);
      });
      const isFirst = earlierCodes === 0 && stored.every(({ count }) => count === 0);
      const states = [
        by === 0 ? lookedAt(day, ofDay) : day,
        ...parts.map((state, index) => lookedAt(state, ofParts[index])),
        { ...day, granted: earlierCodes === 0 || day.secondsLeft > lastSecondsOfDay },
      ];
      const shares = ofParts.map((budget, index) => shareOf(budget, parts[index], stored[index]));
      const after = isReserved ? ofParts.map(afterFirstCode) : parts;
      return {
        refusal: refusalOf(budgets, states),
        granted: isReserved ? [ofDay] : [],
        missing: by === 1 && !isFirst ? shares : [],
        count: day.count,
        pauseSeconds: Math.max(0, ...ofParts.map((budget, index) => waitAfter(budget, after[index]))),
      };
    },
  };
}

const absent: CounterState = { granted: true, count: 0, secondsLeft: 0 };

/** Returns what the first code of the day would have left in a budget, which no code has been counted in since. */
function ofFirstCode({ ttlSeconds }: Budget, { secondsLeft }: CounterState): CounterState {
  // Another store may tell parts of a second, and takes whole ones.
  const left = Math.ceil(ttlSeconds - (daySeconds - secondsLeft));
  return left > 0 ? { granted: true, count: 1, secondsLeft: left } : absent;
}

function afterFirstCode({ ttlSeconds }: Budget): CounterState {
  return { granted: true, count: 1, secondsLeft: ttlSeconds };
}

/** Returns the share of a code that is not the first one. An entry that is missing gets the first code with it. */
function shareOf(budget: Budget, state: CounterState = absent, stored: CounterState = absent): Budget {
  if (stored.count > 0 || state.count === 0) return budget;
  return { ...budget, by: 1 + state.count, ttlSeconds: budget.renew ? budget.ttlSeconds : state.secondsLeft };
}

/** Reserves what {@link sendBudgetQuery} has found missing, for several owners in one call of the store. */
export async function reserveMissing<States extends SendBudgetStates>(
  store: Store,
  owners: readonly States[],
): Promise<readonly States[]> {
  const missing = owners.flatMap((owner) => owner.missing);
  if (missing.length === 0) return owners;
  const states = await store.increment(missing);
  await giveBackTwins(store, missing, states);
  let next = 0;
  return owners.map((owner) => {
    const begin = next;
    next += owner.missing.length;
    return withReserved(owner, states.slice(begin, next));
  });
}

/**
 * Gives back the first codes that were counted twice: of codes that are asked for at once, each adds the first one to an entry that it
 * has found missing. It is right for the code that has made the entry.
 */
async function giveBackTwins(store: Store, shares: readonly Budget[], states: readonly CounterState[]): Promise<void> {
  const twins = shares.flatMap((share, index) => {
    const state = states[index];
    return share.by > 1 && state?.granted && state.count > share.by ? [{ ...share, by: share.by - 1 }] : [];
  });
  // If the store fails at it, the number has a code less for a while.
  await Promise.allSettled([giveBack(store, twins)]);
}

function withReserved<States extends SendBudgetStates>(owner: States, states: readonly CounterState[]): States {
  const { missing } = owner;
  if (missing.length === 0) return owner;
  return {
    ...owner,
    missing: [],
    refusal: refusalOf(missing, states),
    // A code that is not sent gives back its own share, and leaves that of the first one.
    granted: [...owner.granted, ...grantedOf(missing, states).map((share) => ({ ...share, by: 1 }))],
    pauseSeconds: Math.max(0, ...missing.map((budget, index) => waitAfter(budget, states[index]))),
  };
}
