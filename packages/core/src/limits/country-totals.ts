import type { CounterChange } from "../store/store.ts";
import type { Clock } from "../util/clock.ts";
import type { GroupKind } from "./groups.ts";
import { meanOfDay, ofDay, ofWeek, periodsOf } from "./periods.ts";
import type { CounterQuery } from "./query.ts";
import type { UsualGroup } from "./send-decision.ts";

/*
 * What is counted for a whole country, or for the whole app, would be one row of the database that every login waits for. So each
 * process adds up what it has seen, and brings it to the store with a login of that country every few seconds. A decision may
 * therefore miss what other processes have seen since then: `maxUnsharedLogins` for each of them.
 */

/** What a login adds to its country, and to the app. */
export interface CountryChange {
  /** The balance of unconfirmed logins, as in a group. */
  readonly unconfirmed?: number;
  /** People who have logged in. */
  readonly logins?: number;
  /** Blocks in which somebody has logged in today, for the first time today. */
  readonly blocks?: number;
  readonly wideBlocks?: number;
}

/** The counters of countries and of the app, as this process knows them. */
export interface CountryTotals {
  /** Returns the query that shares what this process has counted, and asks what all have. It is empty for what is recent. Without a country it is about the app only. */
  shareQuery(country?: string): CounterQuery<void>;
  add(country: string, change: CountryChange): void;
  /** Tells whether a country has far more unconfirmed logins than its past explains. */
  isOnAlert(country: string): boolean;
  /** Tells whether the app as a whole has. It sees an attack on many countries, a few codes each. */
  isAppOnAlert(): boolean;
  /** Returns what the alert of the app is about. Ask {@link shareQuery} before. */
  ofApp(): AppTotal;
  /** Returns what is usual in the blocks of this kind in which anybody logs in. */
  usualOf(country: string, kind: GroupKind): UsualGroup;
}

/** The unconfirmed logins of the whole app in about a day, and the number of them beyond which it is on alert. */
export interface AppTotal {
  readonly unconfirmed: number;
  readonly threshold: number;
}

/** The dependencies of the totals. */
interface TotalsDeps {
  /** The beginning of their keys in the store. */
  readonly prefix: string;
  readonly clock: Clock;
}

type Total = "unconfirmed" | "logins" | "blocks" | "wideBlocks";
type Counts = Record<Total, number>;

/** What this process knows of one country, or of the app. */
interface Known {
  /** What it has counted since it last asked. */
  unshared: Counts;
  askedAt: number;
  /** What all processes had counted by then. */
  readonly today: Counts;
  readonly yesterday: Counts;
  readonly thisWeek: Counts;
  readonly lastWeek: Counts;
}

const shareAfterMilliseconds = 5000;
const maxUnsharedLogins = 20;
const dayMilliseconds = 86_400_000;

/** An alert begins beyond so many unconfirmed logins, and so many more for each login of a usual day. */
export const alertRules = {
  country: { unconfirmed: 20, perDailyLogin: 0.02 },
  app: { unconfirmed: 100, perDailyLogin: 0.02 },
} as const;

/** So many logins of last week are a past with which a new day can be compared. */
const enoughLogins = 50;

/**
 * In so many blocks somebody must log in on a day, so that their average says what is usual: of a few blocks, one that is
 * attacked would be most of it.
 */
const enoughActive = 10;

/** Creates the totals of an app, in the memory of this process and in the store. */
export function createCountryTotals({ prefix, clock }: TotalsDeps): CountryTotals {
  const countries = new Map<string, Known>();
  const app = nothingKnown();

  function knownOf(country: string): Known {
    const known = countries.get(country) ?? nothingKnown();
    countries.set(country, known);
    return known;
  }

  /** Returns the unconfirmed logins of about a day. */
  function unconfirmedOf({ unshared, today, yesterday }: Known): number {
    const partOfToday = (clock.now() % dayMilliseconds) / dayMilliseconds;
    return today.unconfirmed + unshared.unconfirmed + yesterday.unconfirmed * (1 - partOfToday);
  }

  function share(key: string, known: Known): CounterQuery<void> {
    const now = clock.now();
    const isRecent = now - known.askedAt < shareAfterMilliseconds;
    if (isRecent && Math.abs(known.unshared.unconfirmed) < maxUnsharedLogins) return noQuery;
    const { unshared } = known;
    known.unshared = noCounts();
    known.askedAt = now;
    return createShareQuery(key, unshared, known, now);
  }

  function totalOf(
    known: Known,
    { unconfirmed, perDailyLogin }: { unconfirmed: number; perDailyLogin: number },
  ): AppTotal {
    const dailyLogins = meanOfDay(periodsOf(clock.now()), known.lastWeek.logins, known.thisWeek.logins);
    return { unconfirmed: unconfirmedOf(known), threshold: unconfirmed + perDailyLogin * dailyLogins };
  }

  const isOver = ({ unconfirmed, threshold }: AppTotal) => unconfirmed > threshold;

  return {
    shareQuery(country) {
      const ofCountry = country === undefined ? noQuery : share(`${prefix}:country:${country}`, knownOf(country));
      const ofApp = share(`${prefix}:app`, app);
      return {
        changes: [...ofCountry.changes, ...ofApp.changes],
        read(states) {
          ofCountry.read(states.slice(0, ofCountry.changes.length));
          ofApp.read(states.slice(ofCountry.changes.length));
        },
      };
    },
    add(country, change) {
      for (const { unshared } of [knownOf(country), app]) {
        for (const [total, by] of Object.entries(change)) unshared[total as Total] += by;
      }
    },
    isOnAlert: (country) => isOver(totalOf(knownOf(country), alertRules.country)),
    isAppOnAlert: () => isOver(totalOf(app, alertRules.app)),
    ofApp: () => totalOf(app, alertRules.app),
    usualOf(country, kind) {
      const known = knownOf(country);
      const { lastWeek, yesterday, today } = known;
      const total = kind === "block" ? "blocks" : "wideBlocks";
      // An attack must not raise the average that it is compared with, so the past decides where there is one.
      const hasPast = lastWeek.logins >= enoughLogins;
      const active = hasPast ? lastWeek[total] / 7 : Math.max(yesterday[total], today[total]);
      const perActive = (day: Counts) => day.logins / Math.max(1, day[total]);
      return {
        loginsPerActive: hasPast ? perActive(lastWeek) : Math.max(perActive(yesterday), perActive(today)),
        // Early in the day, a few attacked blocks are most of those in which anybody has logged in.
        loginsPerActiveToday: active < enoughActive ? 0 : today.logins / Math.max(active, today[total]),
        unconfirmedPerActive: active < enoughActive ? 0 : unconfirmedOf(known) / active,
      };
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
      ofDay(`${key}:unconfirmed`, day, unshared.unconfirmed),
      ofDay(`${key}:unconfirmed`, day - 1, 0),
      ...counted.flatMap(ofPeriods),
    ],
    read([unconfirmedToday, unconfirmedYesterday, ...others]) {
      known.today.unconfirmed = unconfirmedToday?.count ?? 0;
      known.yesterday.unconfirmed = unconfirmedYesterday?.count ?? 0;
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
    today: noCounts(),
    yesterday: noCounts(),
    thisWeek: noCounts(),
    lastWeek: noCounts(),
  };
}
