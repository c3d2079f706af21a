import { DoorcodeError } from "../util/errors.ts";
import { isBlock, isEnforced, maxKnownDevices, periodsOf, rememberedSeconds } from "./counter-table.ts";
import {
  type Answered,
  type Answers,
  countOf,
  grantedOf,
  hasShare,
  type KnownDevice,
  type NumberOwner,
  type Period,
  refusalOf,
  type Total,
} from "./counters.ts";
import type { Decision, Group, LimitCount, LimitFacts, LimitRequest, Refused } from "./decision.ts";
import { alertRules, type GroupKind, groupRules, type LoginLimits } from "./login-limits.ts";

/**
 * Decides about a code from the answers to `countersOf`: the budgets of the number, then the ceilings, then the groups. If the number has
 * no code left, a known device has separate budgets: with their answers too, they decide instead of the number's.
 */
export function decide(limits: LoginLimits, request: LimitRequest, answers: Answers): Decision {
  const { now, groups, login, isTrusted } = request;
  const ofNumber = judgeSends(answers, "number");
  const facts = describeLogin(limits, request, answers, ofNumber.count);
  const { country, knownNumber, knownDevice, isExempt } = facts;
  const hasDevice = knownDevice !== undefined && answers.has(`${knownDevice}.window`);
  const sends = hasDevice ? judgeSends(answers, knownDevice) : ofNumber;

  const added = isExempt ? 0 : request.added;
  const ofCountry = totalOf(answers, "country", now, added);
  const onAlert = ofCountry.isOver && isEnforced(limits, "country");
  const judged = groups.map((group) => judgeGroup(answers, group, request, { ...ofCountry, onAlert }));
  const byGroups = isExempt || isTrusted ? [] : judged.flatMap(({ refused }) => refused ?? []);

  const refused = sends.refused ?? refusedByCeiling(answers, now) ?? refusedByGroup(limits, byGroups);
  const judgement = refused ?? byGroups[0];
  const granted = grantedOf(answers);
  const closed = groups.filter(({ kind }) => countOf(answers, `${kind}.closed`) > 0);
  const addedToClosed = granted.filter(({ name }) => closed.some(({ kind }) => name === `${kind}.unconfirmed`));
  return {
    refused,
    event: {
      type: "login.send_decided",
      outcome: refused ? "refused" : judgement ? "would_refuse" : "allowed",
      country,
      onAlert,
      appOnAlert: totalOf(answers, "app", now, added).isOver,
      knownNumber,
      knownDevice: knownDevice !== undefined,
      ...(judgement && { ...judgement.limit, code: judgement.error.code }),
    },
    counters: [sends.counter, ...judged.map(({ counter }) => counter)],
    facts,
    added: request.added,
    failures: login ? 0 : countOf(answers, `${knownDevice ?? "number"}.failures`),
    cooldownSeconds: sends.cooldownSeconds,
    granted: granted.filter((counter) => !addedToClosed.includes(counter)),
    addedToClosed,
  };
}

function judgeSends(answers: Answers, owner: NumberOwner) {
  const named = (what: string) => [...answers.values()].filter(({ name }) => name.startsWith(`${owner}.${what}`));
  const parts = named("part");
  const pauses = named("pause");
  const [newest] = parts as [Answered];
  const { limit: threshold = 0, by } = newest;
  // A code that was reserved is in the sum. One that is only read (`by` is 0) is added here.
  const count = parts.reduce((sum, part) => sum + part.count, 0) + 1 - by;
  const day: Answered = {
    ...newest,
    by: 1,
    granted: newest.granted && count <= threshold,
    secondsLeft: parts.findLast((part) => part.count > 0)?.secondsLeft ?? 0,
  };
  const error = refusalOf([day, ...named("window"), ...pauses]);
  const begun = pauses.filter((pause) => pause.count === pause.limit);
  return {
    refused: error && ({ limit: { limit: "number" }, error } as const),
    counter: { limit: "number", count, threshold } as const,
    count,
    cooldownSeconds: Math.max(0, ...begun.map(({ secondsLeft }) => secondsLeft)),
  };
}

const ceilings = ["sends_per_hour", "sends_per_day", "cost_per_day"] as const;

function refusedByCeiling(answers: Answers, now: number): Refused | undefined {
  for (const limit of ceilings) {
    const ceiling = answers.get(limit);
    if (!ceiling?.refusal || hasShare(ceiling)) continue;
    // It opens with the next hour or day.
    const retryAfterSeconds = ceiling.ttlSeconds - (Math.floor(now / 1000) % ceiling.ttlSeconds);
    return { limit: { limit }, error: new DoorcodeError(ceiling.refusal, { retryAfterSeconds }) };
  }
  return undefined;
}

function refusedByGroup(limits: LoginLimits, byGroups: readonly Refused[]): Refused | undefined {
  const enforced = byGroups.filter(({ group }) => group && isEnforced(limits, group.kind));
  // A client that is refused anyway must not close blocks of numbers.
  return enforced.find(({ group }) => group && !isBlock(group)) ?? enforced[0];
}

const daySeconds = 86_400;
/** A known number is known for so many codes a day. More could be an attacker's own number. */
const codesOfKnownNumber = 3;

function describeLogin(
  limits: LoginLimits,
  { login, now, country, address, network, deviceDigest, added, asksApp }: LimitRequest,
  answers: Answers,
  sendsToday: number,
): LimitFacts {
  if (login) return { ...login, added: login.added + added };
  const sinceFirst = provenSecondsAgo(answers, "proven.first");
  const sinceLast = provenSecondsAgo(answers, "proven.last");
  // A day ago or longer: else an attacker could prove numbers and use them again immediately. The first proof is forgotten before the last.
  const sinceProof = sinceFirst ?? sinceLast;
  const knownNumber = sinceProof !== undefined && sinceProof >= daySeconds && sendsToday <= codesOfKnownNumber;
  const knownDevice = knownDeviceOf(limits, answers);
  return {
    country,
    address,
    network,
    knownNumber,
    knownDevice,
    // With `beforeSend`, a known number that is treated in another way would tell strangers that it has an account.
    isExempt: knownDevice !== undefined || (knownNumber && !asksApp),
    added,
    provenToday: countOf(answers, "proven.verified") > 0 || (sinceLast !== undefined && sinceLast < daySeconds),
    lastProvenAt: sinceLast === undefined ? undefined : now - sinceLast * 1000,
    deviceDigest,
    devicePlace: countOf(answers, "device.place"),
    newestPlace: countOf(answers, "device.newestPlace"),
  };
}

/** Returns the time since a proof of a number, from the lifetime that is left of its counter; `undefined` for none. */
export function provenSecondsAgo(answers: Answers, name: "proven.first" | "proven.last"): number | undefined {
  const proof = answers.get(name);
  return proof && proof.count > 0 ? rememberedSeconds - proof.secondsLeft : undefined;
}

/** Tells whether a device has one of the last places among those that have proven a number. */
export function hasKnownPlace(answers: Answers): boolean {
  const place = countOf(answers, "device.place");
  const newestPlace = countOf(answers, "device.newestPlace");
  return place > 0 && place <= newestPlace && place > newestPlace - maxKnownDevices;
}

function knownDeviceOf(limits: LoginLimits, answers: Answers): KnownDevice | undefined {
  if (!hasKnownPlace(answers)) return undefined;
  const device = countOf(answers, "device.place") === countOf(answers, "device.newestPlace") ? "newest" : "other";
  // A device whose wrong codes have reached the limit is a stranger: the number is closed to it as a known device only.
  return countOf(answers, `${device}.failures`) < limits.failuresPerPhone ? device : undefined;
}

/** Returns the unconfirmed logins of about a day, the `added` ones too, and whether they are reason for an alert. */
export function totalOf(
  answers: Answers,
  of: "country" | "app",
  now: number,
  added: number,
): { readonly unconfirmed: number; readonly threshold: number; readonly isOver: boolean } {
  const { partOfDay, daysIntoWeek } = periodsOf(now);
  const { unconfirmed: today, perDailyLogin } = alertRules[of];
  const yesterday = countOf(answers, `${of}.unconfirmed.yesterday`) * (1 - partOfDay);
  const unconfirmed = countOf(answers, `${of}.unconfirmed.today`) + yesterday + added;
  const logins = countOf(answers, `${of}.logins.lastWeek`) + countOf(answers, `${of}.logins.thisWeek`);
  const threshold = today + (perDailyLogin * logins) / (7 + daysIntoWeek);
  return { unconfirmed, threshold, isOver: unconfirmed > threshold };
}

interface CountryState {
  readonly onAlert: boolean;
  /** The unconfirmed logins of about a day. */
  readonly unconfirmed: number;
}

/** A closed group opens again after the first of these; a group that is closed again within a week, after the next. */
const closedForSeconds = [3600, 6 * 3600, daySeconds];

function judgeGroup(
  answers: Answers,
  group: Group,
  { now, login, added }: LimitRequest,
  country: CountryState,
): { readonly counter: LimitCount; readonly refused?: Refused } {
  const limit = group.kind;
  const refuse = (seconds: number) =>
    new DoorcodeError(groupRules[limit].refusal, { retryAfterSeconds: Math.ceil(seconds) });
  const closed = answers.get(`${limit}.closed`);
  if (closed && closed.count > 0) {
    return { counter: { limit }, refused: { limit: { limit }, error: refuse(closed.secondsLeft), group } };
  }
  const may = limitsOf(answers, limit, now, country);
  const balance = answers.get(`${limit}.unconfirmed`);
  // This code is in the balance if it was reserved, and is added here if it was only read.
  const count = (balance?.count ?? 0) + added - (balance?.by ?? 0);
  const unconfirmed = { limit, count, threshold: may.unconfirmed };
  const logins = { limit, count: countOf(answers, `${limit}.today`) + 1, threshold: may.logins };
  const over = [unconfirmed, logins].find(({ count, threshold }) => count > threshold);
  if (!over) return { counter: unconfirmed };
  // An attack that raised the alert is not let in again after an hour.
  const times = countOf(answers, `${limit}.timesClosed`) + (country.onAlert ? 1 : 0);
  const seconds = closedForSeconds[times] ?? daySeconds;
  // Rounded down: the count of an event must not look as if it had only reached the threshold.
  const counted = over === logins ? "logins" : "unconfirmed";
  const rounded = { ...over, threshold: Math.floor(over.threshold * 10) / 10, counted } as const;
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
function limitsOf(answers: Answers, kind: GroupKind, now: number, country: CountryState) {
  const rule = groupRules[kind];
  const { timesUsual = 0, confirmedPerDay = Number.POSITIVE_INFINITY } = rule;
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

/** In so many blocks somebody must log in on a day, so that their average says what is usual: an attacked block would be most of a few. */
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
