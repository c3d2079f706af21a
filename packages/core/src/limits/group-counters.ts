import type { CounterChange } from "../store/store.ts";
import { type Group, type GroupKind, type GroupRule, groupRules } from "./groups.ts";
import { meanOfDay, meanOfDaysBefore, ofDay, ofWeek, type Periods } from "./periods.ts";
import type { CounterQuery } from "./query.ts";

/*
 * A group has a balance of unconfirmed logins: each login adds one when its code is sent, and a login that is confirmed takes
 * two off, down to zero. As long as most people enter their code, the balance stays near zero, however many they are.
 *
 * A group is closed by the same counter: a large number is added, and the counter gets the length of the closing as its
 * lifetime. So of any number of requests at once one closes the group, and it opens again by itself with a balance of zero.
 */

/** Returns the beginning of the keys of groups, and of all else that the limits keep about an app. */
export function limitsPrefix(name: string): string {
  return `${name}:l`;
}

/** The state of a group. */
export interface GroupState {
  /** The balance of unconfirmed logins, this login included. */
  readonly unconfirmed: number;
  readonly isClosed: boolean;
  /** The time until a closed group opens again. */
  readonly secondsLeft: number;
  /** How often the group was closed in the last week. */
  readonly closings: number;
  /** The mean number of people who have logged in on a day, in this week and the last one. */
  readonly dailyLogins: number;
  /** The same of the days before today. */
  readonly dailyLoginsBefore: number;
  /** The people who have logged in today. */
  readonly loginsToday: number;
}

const closingMark = 1e9;
const maxBalance = closingMark / 2;
const weekSeconds = 604_800;

/** Returns the query that adds a login to a group, or only reads the group. */
export function groupQuery(prefix: string, group: Group, periods: Periods, by: 0 | 1): CounterQuery<GroupState> {
  const key = keyOf(prefix, group);
  return {
    changes: [
      balanceChange(key, group.rule, by),
      { key: closingsKey(key), by: 0, ttlSeconds: weekSeconds },
      ofWeek(key, periods.week - 1, 0),
      ofWeek(key, periods.week, 0),
      ...(hasDays(group) ? [ofDay(key, periods.day, 0)] : []),
    ],
    read([balance, closings, ...logins]) {
      const [lastWeek = 0, thisWeek = 0, today = 0] = logins.map(({ count }) => count);
      return {
        unconfirmed: balance?.count ?? 0,
        isClosed: (balance?.count ?? 0) > maxBalance,
        secondsLeft: balance?.secondsLeft ?? 0,
        closings: closings?.count ?? 0,
        dailyLogins: meanOfDay(periods, lastWeek, thisWeek),
        dailyLoginsBefore: meanOfDaysBefore(periods, lastWeek, thisWeek, today),
        loginsToday: today,
      };
    },
  };
}

/** Tells whether the logins of a day are counted: only where they are limited. */
function hasDays({ rule }: Group): boolean {
  return rule.confirmedPerDay !== undefined;
}

/** Returns the change of a group's balance. A group that is closed stays as it is. */
function balanceChange(key: string, { ttlSeconds }: GroupRule, by: number): CounterChange {
  return { key, by, limit: maxBalance, ttlSeconds };
}

/** Returns the change that closes a group. Only one of several at once is granted. */
export function closingChange(prefix: string, group: Group, seconds: number): CounterChange {
  const key = keyOf(prefix, group);
  return { key, by: closingMark, limit: closingMark + maxBalance, ttlSeconds: seconds, renew: true };
}

/** Returns the change that remembers for a week that a group was closed. */
export function closingsChange(prefix: string, group: Group): CounterChange {
  return { key: closingsKey(keyOf(prefix, group)), by: 1, ttlSeconds: weekSeconds, renew: true };
}

/** Returns the changes of the balances of groups. */
export function balanceChanges(prefix: string, groups: readonly Group[], by: number): readonly CounterChange[] {
  return groups.map((group) => balanceChange(keyOf(prefix, group), group.rule, by));
}

/** Returns the query that counts a person who has logged in, and tells which groups had none today before. */
export function loginQuery(prefix: string, group: Group, { week, day }: Periods): CounterQuery<{ isFirst: boolean }> {
  const key = keyOf(prefix, group);
  return {
    changes: [ofWeek(key, week, 1), ...(hasDays(group) ? [ofDay(key, day, 1)] : [])],
    read: ([, today]) => ({ isFirst: today?.count === 1 }),
  };
}

/** Returns the query that tells how long a group stays closed; 0 for an open one. */
export function isClosedQuery(prefix: string, group: Group): CounterQuery<{ readonly secondsLeft: number }> {
  return {
    changes: [balanceChange(keyOf(prefix, group), group.rule, 0)],
    read: ([balance]) => ({ secondsLeft: balance && balance.count > maxBalance ? balance.secondsLeft : 0 }),
  };
}

/** Returns the keys that keep a group closed, and remember that it was. */
export function groupKeys(prefix: string, kind: GroupKind, name: string): readonly string[] {
  return groupRules
    .filter((rule) => rule.kind === kind)
    .map((rule) => keyOf(prefix, { rule, name }))
    .flatMap((key) => [key, closingsKey(key)]);
}

function keyOf(prefix: string, { rule, name }: Group): string {
  return `${prefix}:${rule.keyWord}:${name}`;
}

function closingsKey(key: string): string {
  return `${key}:closings`;
}
