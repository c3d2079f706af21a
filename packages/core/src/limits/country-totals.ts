import type { Clock } from "../primitives/clock.ts";
import type { CounterChange } from "../store/store.ts";
import type { GroupKind } from "./groups.ts";
import { meanOfDay, ofDay, ofWeek, periodsOf } from "./periods.ts";
import type { CounterQuery } from "./query.ts";

/*
 * What is counted for a whole country would be one row of the database that every login waits for. So each process adds up
 * what it has seen, and brings it to the store with a login of that country every few seconds. A decision may therefore miss
 * what other processes have seen since then: `maxUnsharedLogins` for each of them.
 */

/** What a login adds to its country. */
export interface CountryChange {
  /** The balance of unconfirmed logins, as in a group. */
  readonly unconfirmed?: number;
  /** People who have logged in. */
  readonly logins?: number;
  /** Blocks in which somebody has logged in today, for the first time today. */
  readonly blocks?: number;
  readonly wideBlocks?: number;
}

/** The counters of countries, as this process knows them. */
export interface CountryTotals {
  /** Returns the query that shares what this process has counted, and asks what all have. It is empty while both are recent. */
  shareQuery(country: string): CounterQuery<void>;
  add(country: string, change: CountryChange): void;
  /** Tells whether a country has far more unconfirmed logins than its past explains. */
  isOnAlert(country: string): boolean;
  /** Returns how many people log in on a day in a block in which anybody does. */
  loginsPerActive(country: string, kind: GroupKind): number;
}

/** The dependencies of the totals. */
interface TotalsDeps {
  /** The beginning of their keys in the store. */
  readonly prefix: string;
  readonly clock: Clock;
}

type Total = "unconfirmed" | "logins" | "blocks" | "wideBlocks";
type Counts = Record<Total, number>;

/** What this process knows of one country. */
interface Known {
  /** What it has counted since it last asked. */
  unshared: Counts;
  askedAt: number;
  /** What all processes had counted by then. */
  unconfirmed: number;
  readonly today: Counts;
  readonly yesterday: Counts;
  readonly thisWeek: Counts;
  readonly lastWeek: Counts;
}

const shareAfterMilliseconds = 5000;
const maxUnsharedLogins = 20;
const daySeconds = 86_400;

/** An alert begins at so many unconfirmed logins, and so many more for each login of a usual day. */
const alertAt = 30;
const alertPerDailyLogin = 0.05;

/** So many logins of last week are a past with which a new day can be compared. */
const enoughLogins = 50;

/** Creates the totals of an app, in the memory of this process and in the store. */
export function createCountryTotals({ prefix, clock }: TotalsDeps): CountryTotals {
  const countries = new Map<string, Known>();

  function knownOf(country: string): Known {
    const known = countries.get(country) ?? nothingKnown();
    countries.set(country, known);
    return known;
  }

  return {
    shareQuery(country) {
      const known = knownOf(country);
      const now = clock.now();
      const isRecent = now - known.askedAt < shareAfterMilliseconds;
      if (isRecent && Math.abs(known.unshared.unconfirmed) < maxUnsharedLogins) return noQuery;
      const { unshared } = known;
      known.unshared = noCounts();
      known.askedAt = now;
      return createShareQuery(`${prefix}:country:${country}`, unshared, known, now);
    },
    add(country, change) {
      const { unshared } = knownOf(country);
      for (const [total, by] of Object.entries(change)) unshared[total as Total] += by;
    },
    isOnAlert(country) {
      const { unconfirmed, unshared, lastWeek, thisWeek } = knownOf(country);
      const dailyLogins = meanOfDay(periodsOf(clock.now()), lastWeek.logins, thisWeek.logins);
      return unconfirmed + unshared.unconfirmed > alertAt + alertPerDailyLogin * dailyLogins;
    },
    loginsPerActive(country, kind) {
      const total = kind === "block" ? "blocks" : "wideBlocks";
      const { lastWeek, yesterday, today } = knownOf(country);
      // An attack must not raise the average that it is compared with, so the past decides where there is one.
      if (lastWeek.logins >= enoughLogins) return lastWeek.logins / Math.max(1, lastWeek[total]);
      return Math.max(...[yesterday, today].map((day) => (day[total] === 0 ? 0 : day.logins / day[total])));
    },
  };
}

const noQuery: CounterQuery<void> = { changes: [], read: () => undefined };

function createShareQuery(key: string, unshared: Counts, known: Known, now: number): CounterQuery<void> {
  const { day, week } = periodsOf(now);
  const counted = ["logins", "blocks", "wideBlocks"] as const;
  const ofPeriods = (total: Total): CounterChange[] => [
    ofDay(`${key}:${total}`, day, unshared[total]),
    ofDay(`${key}:${total}`, day - 1, 0),
    ofWeek(`${key}:${total}`, week, unshared[total]),
    ofWeek(`${key}:${total}`, week - 1, 0),
  ];
  return {
    changes: [
      { key: `${key}:unconfirmed`, by: unshared.unconfirmed, ttlSeconds: daySeconds },
      ...counted.flatMap(ofPeriods),
    ],
    read([unconfirmed, ...others]) {
      known.unconfirmed = unconfirmed?.count ?? 0;
      counted.forEach((total, index) => {
        const [today, yesterday, thisWeek, lastWeek] = others.slice(4 * index).map(({ count }) => count);
        known.today[total] = today ?? 0;
        known.yesterday[total] = yesterday ?? 0;
        known.thisWeek[total] = thisWeek ?? 0;
        known.lastWeek[total] = lastWeek ?? 0;
      });
    },
  };
}

function noCounts(): Counts {
  return { unconfirmed: 0, logins: 0, blocks: 0, wideBlocks: 0 };
}

function nothingKnown(): Known {
  return {
    unshared: noCounts(),
    askedAt: Number.NEGATIVE_INFINITY,
    unconfirmed: 0,
    today: noCounts(),
    yesterday: noCounts(),
    thisWeek: noCounts(),
    lastWeek: noCounts(),
  };
}
