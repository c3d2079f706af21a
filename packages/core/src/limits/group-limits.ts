import { DoorcodeError } from "../util/errors.ts";
import { type Answers, type CodeRequest, countOf, type Period, periodsOf, type Total } from "./counter.ts";
import type { Group, GroupKind } from "./groups.ts";
import type { LimitCount } from "./limited-code.ts";

/** An alert begins beyond so many unconfirmed logins, and so many more for each login of a usual day. */
export const alertRules = {
  country: { unconfirmed: 20, perDailyLogin: 0.02 },
  app: { unconfirmed: 100, perDailyLogin: 0.02 },
} as const;

/** The unconfirmed logins of a country or of the app in about a day, and how many it may have without an alert. */
export interface UnconfirmedTotal {
  readonly unconfirmed: number;
  readonly threshold: number;
}

/**
 * Returns the unconfirmed logins of a country or of the app, and whether they put it on alert.
 *
 * @param added - the number that the code adds, which no counter has yet.
 */
export function totalOf(
  answers: Answers,
  of: "country" | "app",
  now: number,
  added: number,
): UnconfirmedTotal & { readonly isOver: boolean } {
  const { partOfDay, daysIntoWeek } = periodsOf(now);
  const { unconfirmed: today, perDailyLogin } = alertRules[of];
  const yesterday = countOf(answers, `${of}.unconfirmed.yesterday`) * (1 - partOfDay);
  const unconfirmed = countOf(answers, `${of}.unconfirmed.today`) + yesterday + added;
  const logins = countOf(answers, `${of}.logins.lastWeek`) + countOf(answers, `${of}.logins.thisWeek`);
  const threshold = today + (perDailyLogin * logins) / (7 + daysIntoWeek);
  return { unconfirmed, threshold, isOver: unconfirmed > threshold };
}

/** What refuses a code. */
export interface Refused {
  /** The count that is over its limit, rounded for an event; left out for a group that was closed before. */
  readonly limit: LimitCount;
  readonly error: DoorcodeError;
  /** The group that refuses. An app can trust a login against a group, never against a budget of the number or a ceiling. */
  readonly group?: Group;
  /** The time for which the group must be closed now. */
  readonly closeSeconds?: number;
}

/** What is known of the country of a code. */
interface CountryState {
  readonly onAlert: boolean;
  /** The unconfirmed logins of about a day. */
  readonly unconfirmed: number;
}

const daySeconds = 86_400;
/** A closed group opens again after the first of these; a group that is closed again within a week, after the next. */
const closedForSeconds = [3600, 6 * 3600, daySeconds];

/** Compares a group with what it may have now. */
export function judgeGroup(
  answers: Answers,
  group: Group,
  { now, login }: CodeRequest,
  country: CountryState,
): { readonly counter: LimitCount; readonly refused: Refused | undefined } {
  const { kind: limit, refusal } = group.rule;
  const refuse = (seconds: number) => new DoorcodeError(refusal, { retryAfterSeconds: Math.ceil(seconds) });
  const closed = answers.get(`${limit}.closed`);
  if (closed && closed.count > 0) {
    return { counter: { limit }, refused: { limit: { limit }, error: refuse(closed.secondsLeft), group } };
  }
  const may = limitsOf(answers, group, now, country);
  const unconfirmed = { limit, count: countOf(answers, `${limit}.unconfirmed`), threshold: may.unconfirmed };
  const logins = { limit, count: countOf(answers, `${limit}.today`) + 1, threshold: may.logins };
  const over = [unconfirmed, logins].find(({ count, threshold }) => count > threshold);
  if (!over) return { counter: unconfirmed, refused: undefined };
  // An attack that raised the alert is not let in again after an hour.
  const times = countOf(answers, `${limit}.timesClosed`) + (country.onAlert ? 1 : 0);
  const seconds = closedForSeconds[times] ?? daySeconds;
  // Rounded down: the count of an event must not look as if it had only reached the threshold.
  const rounded = { ...over, threshold: Math.floor(over.threshold * 10) / 10 };
  // A login that had a code before closes nothing.
  const close = login ? {} : { closeSeconds: seconds };
  return { counter: unconfirmed, refused: { limit: rounded, error: refuse(seconds), group, ...close } };
}

/** While it was closed before within a week, a group may have this part of its limits: it opens half. */
const afterClosing = 1 / 2;
const unconfirmedPerDailyLogin = 0.5;
const loginsPerDailyLogin = 5;
const timesLoginsPerActive = 4;
/** A peak fills all blocks of a country alike. An attack fills a few, of which the average shows little. */
const timesLoginsPerActiveToday = 1.5;

/** Returns what a group may have now: the more, the more people of it have logged in before. */
function limitsOf(answers: Answers, { rule }: Group, now: number, country: CountryState) {
  const { kind, timesUsual = 0, confirmedPerDay = Number.POSITIVE_INFINITY } = rule;
  const { daysIntoWeek } = periodsOf(now);
  const logins = countOf(answers, `${kind}.lastWeek`) + countOf(answers, `${kind}.thisWeek`);
  const dailyLogins = logins / (7 + daysIntoWeek);
  // Without today: an attacker who confirms codes must not raise the limit for these codes.
  const dailyLoginsBefore = (logins - countOf(answers, `${kind}.today`)) / (7 + Math.floor(daysIntoWeek));
  const part = countOf(answers, `${kind}.timesClosed`) > 0 ? afterClosing : 1;
  const usual = usualOf(answers, kind, country);
  return {
    unconfirmed: Math.max(
      rule.unconfirmed * part * (country.onAlert ? rule.onAlert : 1) + unconfirmedPerDailyLogin * dailyLogins,
      timesUsual * usual.unconfirmedPerActive,
    ),
    logins: Math.max(
      confirmedPerDay * part,
      loginsPerDailyLogin * dailyLoginsBefore,
      timesLoginsPerActive * usual.loginsPerActive,
      timesLoginsPerActiveToday * usual.loginsPerActiveToday,
    ),
  };
}

/** So many logins of last week are a history with which a new day can be compared. */
const enoughLogins = 50;

/**
 * In so many blocks somebody must log in on a day, so that their average says what is usual: of a few blocks, one that is
 * attacked would be most of it.
 */
const enoughActive = 10;

/** Returns what is usual in a block of the country in which anybody logs in: an active block. */
function usualOf(answers: Answers, kind: GroupKind, { unconfirmed }: CountryState) {
  const blocks = kind === "block" ? "blocks" : "wideBlocks";
  const count = (total: Total, period: Period) => countOf(answers, `country.${total}.${period}`);
  const perActive = (period: Period) => count("logins", period) / Math.max(1, count(blocks, period));
  // An attack must not raise the average that it is compared with, so last week decides where it has enough logins.
  const hasHistory = count("logins", "lastWeek") >= enoughLogins;
  const active = hasHistory
    ? count(blocks, "lastWeek") / 7
    : Math.max(count(blocks, "yesterday"), count(blocks, "today"));
  const hasEnough = active >= enoughActive;
  return {
    loginsPerActive: hasHistory ? perActive("lastWeek") : Math.max(perActive("yesterday"), perActive("today")),
    // Early in the day, a few attacked blocks are most of the blocks in which anybody has logged in.
    loginsPerActiveToday: hasEnough ? count("logins", "today") / Math.max(active, count(blocks, "today")) : 0,
    unconfirmedPerActive: hasEnough ? unconfirmed / active : 0,
  };
}
