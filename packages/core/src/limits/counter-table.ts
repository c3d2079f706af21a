import type { CounterChange } from "../store/store.ts";
import type { KnownDevice } from "./counted-login.ts";
import {
  type BudgetOwner,
  type CodeRequest,
  type Counter,
  type CounterDeps,
  type NumberOwner,
  type Period,
  periods,
  periodsOf,
  type Total,
} from "./counter.ts";
import { maxCodeLength, maxFailuresFor } from "./failures.ts";
import type { Group } from "./groups.ts";
import { isEnforced, type LoginLimits } from "./login-limits.ts";

/*
 * All counters of the limits. To limit something more, add a row here, and the refusal to `decide.ts`.
 */

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;
const weekSeconds = 7 * daySeconds;

/** The time for which proofs and wrong codes of a number are remembered: 400 days. */
export const rememberedSeconds = 34_560_000;

/** The time for which a device is remembered that has proven a number: 180 days after the last proof. */
export const deviceSeconds = 15_552_000;

/** The devices of a number that are known at the same time. A ninth device replaces the one whose proof is the oldest. */
export const maxKnownDevices = 8;

/** Returns all counters of a code. */
export function countersOf(deps: CounterDeps, request: CodeRequest): readonly Counter[] {
  const { now, country, phoneFingerprint, groups, added, isTentative, login } = request;
  return [
    ...sendCounters(deps, { phoneFingerprint }, now, isTentative ? 0 : 1),
    ...(isTentative ? [] : ceilingCounters(deps, country, now)),
    ...totalCounters(deps, country, now),
    ...groups.flatMap((group) => groupCounters(deps, group, now, added)),
    ...(login ? [] : knownCounters(deps, request)),
  ];
}

/** Returns the counters that tell whether the number and the device of a new login are known. */
function knownCounters(deps: CounterDeps, { phoneFingerprint, device }: CodeRequest): readonly Counter[] {
  const owners = device === undefined ? [undefined] : ([undefined, "newest", "other"] as const);
  return [
    ...provenCounters(deps, phoneFingerprint),
    ...deviceCounters(deps, phoneFingerprint, device),
    ...owners.map((knownDevice) => inARow(deps, { phoneFingerprint, knownDevice }, maxCodeLength, 0)),
  ];
}

/*
 * The codes of a day are counted in parts of six hours. A part is forgotten a day after its last code, so no number gets more codes than
 * its limit in any 24 hours. Each code is counted before the parts are added up, so of any number of codes at the same time none passes
 * the limit.
 */
const partSeconds = 6 * hourSeconds;
const partsOfDay = 4;

/** Returns the budgets of a code: the parts of a day, the newest first, the window, and the pauses. */
export function sendCounters(
  { name, limits }: CounterDeps,
  owner: BudgetOwner,
  now: number,
  by: 0 | 1,
): readonly Counter[] {
  const of = owner.knownDevice ?? "number";
  const id = idOf(owner);
  const refusal = "send_limit_reached";
  const newestPart = Math.floor(now / 1000 / partSeconds);
  const ofDay = { limit: sendsPerDay(limits, of), ttlSeconds: daySeconds, renew: true, refusal } as const;
  const parts = Array.from({ length: partsOfDay + 1 }, (_, before): Counter => {
    const key = `${name}:sends-of-day:${id}.${newestPart - before}`;
    return { name: `${of}.part${before}`, key, by: before === 0 ? by : 0, ...ofDay };
  });
  const { sendsPerPhone: limit, sendWindowSeconds: ttlSeconds } = limits;
  const window: Counter = { name: `${of}.window`, key: `${name}:sends:${id}`, by, limit, ttlSeconds, refusal };
  // One code may be sent in the first pause, two in the second pause, and so on.
  const pauses = limits.cooldownSeconds.map((pauseSeconds, index): Counter => {
    const pause = { key: `${name}:cooldown-${index + 1}:${id}`, by, limit: index + 1, ttlSeconds: pauseSeconds };
    // Each code waits for the code before it, also if one was given back in between.
    return { name: `${of}.pause${index}`, ...pause, renew: true, refusal: "cooldown" };
  });
  return [...parts, window, ...pauses.filter((pause) => pause.ttlSeconds > 0)];
}

function sendsPerDay(limits: LoginLimits, owner: NumberOwner): number {
  if (owner === "number") return limits.sendsPerPhonePerDay;
  return owner === "newest" ? limits.sendsPerDevicePerDay : sendsPerOtherDevices(limits);
}

/** Returns the codes of a day that all known devices but the newest have together: else each device would bring more texts. */
export function sendsPerOtherDevices({ sendsPerDevicePerDay }: Pick<LoginLimits, "sendsPerDevicePerDay">): number {
  return Math.ceil(sendsPerDevicePerDay / 10);
}

/** The newest device has counters of its own, so no former holder of a number uses up what its owner has. */
function idOf({ phoneFingerprint, knownDevice }: BudgetOwner): string {
  return knownDevice === undefined ? phoneFingerprint : `${phoneFingerprint}.${knownDevice}`;
}

/**
 * Returns the budgets of one wrong code for a number: a hard limit, and before it a gate that slows down.
 *
 * @param codeLength - the number of digits of the login's codes, if the kit chose it. Without it the hard limit closes the number;
 * with it, the limit only ends logins whose codes have become too short.
 */
export function failureBudgets(deps: CounterDeps, owner: BudgetOwner, codeLength?: number): readonly Counter[] {
  const gate: Counter = {
    name: `${owner.knownDevice ?? "number"}.failuresGate`,
    key: `${deps.name}:failures-gate:${idOf(owner)}`,
    by: 1,
    limit: deps.limits.failuresPerPhoneInTenMinutes,
    ttlSeconds: 600,
    refusal: "too_many_failures",
  };
  return [inARow(deps, owner, codeLength, 1), gate];
}

/** A limit that opened again each day would allow 36,500 guesses a year: for a code of six digits, 3.6 % of them right. */
function inARow({ name, limits }: CounterDeps, owner: BudgetOwner, codeLength: number | undefined, by: 0 | 1): Counter {
  const limit = codeLength === undefined ? limits.failuresPerPhone : maxFailuresFor(limits, codeLength);
  return {
    name: `${owner.knownDevice ?? "number"}.failures`,
    key: `${name}:failures:${idOf(owner)}`,
    by,
    ...(limit !== undefined && { limit }),
    ttlSeconds: rememberedSeconds,
    renew: true,
    refusal: codeLength === undefined ? "phone_closed" : "attempts_exhausted",
    closes: true,
  };
}

/**
 * Returns the budgets of one wrong code from a client's address, for someone who tries a few codes of each of many numbers. The wrong codes
 * of known devices count for the address too, but strangers behind it cannot use up what known devices may fail.
 *
 * @param address - the fingerprint of the address.
 */
export function addressFailureBudgets(
  { name, limits }: CounterDeps,
  address: string,
  knownDevice?: KnownDevice | undefined,
): readonly Counter[] {
  const limit = isEnforced(limits, "address") ? limits.failuresPerAddressPerDay : Number.MAX_SAFE_INTEGER;
  const key = `${name}:failures-of-address:${address}`;
  const common = { by: 1, ttlSeconds: daySeconds, refusal: "client_limit_reached" } as const;
  if (knownDevice === undefined) return [{ name: "address.failures", key, limit, ...common }];
  return [
    { name: "address.failures", key, ...common },
    { name: "address.failuresOfDevices", key: `${key}.devices`, limit, ...common },
  ];
}

/**
 * Returns the proofs of a number. The lifetime that is left of a counter tells when the number was proven.
 *
 * @param proof - the proof to add. A `verify` shows that a person has the number, and not whose account it is: the next owner of a
 * number must not make it look used by a form without an account.
 */
export function provenCounters(
  { name }: CounterDeps,
  phoneFingerprint: string,
  proof?: "login" | "verify",
): readonly Counter[] {
  const key = `${name}:limits:proven:${phoneFingerprint}`;
  const login = { by: proof === "login" ? 1 : 0, ttlSeconds: rememberedSeconds };
  const verify = { by: proof === "verify" ? 1 : 0, ttlSeconds: daySeconds };
  return [
    { name: "proven.first", key: `${key}:first`, ...login },
    { name: "proven.last", key: `${key}:last`, ...login, renew: true },
    { name: "proven.verified", key: `${key}:verified`, ...verify, renew: true },
  ];
}

/**
 * Returns the places of the devices of a number. Each proof takes the next place, and a device is known while it has one of the last
 * eight places. So two counters tell whether a device is known, and no list is stored.
 */
export function deviceCounters(
  { name }: CounterDeps,
  phoneFingerprint: string,
  device: string | undefined,
  by: { readonly newestPlace: number; readonly place: number } = { newestPlace: 0, place: 0 },
): readonly Counter[] {
  const key = `${name}:limits:devices:${phoneFingerprint}`;
  const common = { ttlSeconds: deviceSeconds, renew: true };
  const newest: Counter = { name: "device.newestPlace", key, by: by.newestPlace, ...common };
  if (device === undefined) return [newest];
  return [newest, { name: "device.place", key: `${key}:${device}`, by: by.place, ...common }];
}

function groupCounters(deps: CounterDeps, group: Group, now: number, added: 0 | 1): readonly Counter[] {
  const unconfirmed = unconfirmedCounter(deps, group, added);
  return [unconfirmed, ...closedCounters(deps, group), ...groupLoginCounters(deps, group, now, 0)];
}

/**
 * Returns the balance of unconfirmed logins of a group: each login adds one when its code is sent, and a login that is confirmed takes two
 * off, down to zero. While most people enter their code, the balance stays near zero, for any number of people.
 */
export function unconfirmedCounter(deps: CounterDeps, group: Group, by: number): Counter {
  const { kind, ttlSeconds } = group.rule;
  return { name: `${kind}.unconfirmed`, key: groupKey(deps, group), by, ttlSeconds };
}

/**
 * Returns whether a group is closed, and how often it was closed within a week.
 *
 * @param closedSeconds - closes the group for so long. Of several calls at the same time the store grants one.
 */
export function closedCounters(deps: CounterDeps, group: Group, closedSeconds?: number): readonly [Counter, Counter] {
  const { kind } = group.rule;
  const key = groupKey(deps, group);
  const by = closedSeconds === undefined ? 0 : 1;
  return [
    { name: `${kind}.closed`, key: `${key}:closed`, by, limit: 1, ttlSeconds: closedSeconds ?? hourSeconds },
    { name: `${kind}.timesClosed`, key: `${key}:times-closed`, by, ttlSeconds: weekSeconds, renew: true },
  ];
}

/** Returns the people of a group who have logged in. Those of a day are counted only where they are limited. */
export function groupLoginCounters(deps: CounterDeps, group: Group, now: number, by: 0 | 1): readonly Counter[] {
  const { kind, confirmedPerDay } = group.rule;
  const counters = periodCounters(`${groupKey(deps, group)}:logins`, now, by);
  const weeks = (["thisWeek", "lastWeek"] as const).map((period): Counter => {
    return { name: `${kind}.${period}`, ...counters[period] };
  });
  return confirmedPerDay === undefined ? weeks : [{ name: `${kind}.today`, ...counters.today }, ...weeks];
}

function groupKey({ name }: CounterDeps, group: Group): string {
  return `${name}:limits:${group.rule.kind}:${group.name}`;
}

/** Returns how often codes could not be delivered today: once for a number, and for a block as often as it may have unconfirmed logins. */
export function undeliveredCounters(
  { name }: CounterDeps,
  phoneFingerprint: string,
  blocks: readonly Group[],
  now: number,
): readonly [Counter, ...Counter[]] {
  const today = (id: string) => periodCounters(`${name}:limits:undelivered:${id}`, now, 1).today;
  const ofBlocks = blocks.map(({ rule: { kind, unconfirmed }, name: block }): Counter => {
    return { name: `${kind}.undelivered`, ...today(`${kind}:${block}`), limit: unconfirmed };
  });
  return [{ name: "number.undelivered", ...today(phoneFingerprint), limit: 1 }, ...ofBlocks];
}

/** Prices are counted in ten-thousandths, because counters are whole numbers. */
const unitsOfPrice = 10_000;
/** A process that ends leaves its share unused, so each process may make an app lose a hundredth of a ceiling. */
const sharesOfCeiling = 100;

function ceilingCounters({ name, limits }: CounterDeps, country: string, now: number): readonly Counter[] {
  const { costPerDay, prices = {} } = limits;
  const price = Math.round((prices[country] ?? prices.other ?? 0) * unitsOfPrice);
  const cost = costPerDay === undefined ? undefined : Math.round(costPerDay * unitsOfPrice);
  const hour = { ttlSeconds: hourSeconds, refusal: "hourly_ceiling_reached" } as const;
  const day = { ttlSeconds: daySeconds, refusal: "daily_ceiling_reached" } as const;
  const ceilings = [
    { kind: "sends_per_hour", by: 1, limit: limits.sendsPerHour, ...hour },
    { kind: "sends_per_day", by: 1, limit: limits.sendsPerDay, ...day },
    { kind: "cost_per_day", by: price, limit: cost, ...day, refusal: "cost_ceiling_reached" },
  ] as const;
  const seconds = Math.floor(now / 1000);
  return ceilings.flatMap(({ kind, by, limit, ttlSeconds, refusal }): readonly Counter[] => {
    if (limit === undefined) return [];
    const key = `${name}:limits:${kind}:${Math.floor(seconds / ttlSeconds)}`;
    const inAdvance = Math.max(1, Math.floor(limit / sharesOfCeiling));
    const waitSeconds = ttlSeconds - (seconds % ttlSeconds);
    return [{ name: kind, key, by, limit, ttlSeconds, refusal, waitSeconds, inAdvance }];
  });
}

type AddedTotals = Partial<Readonly<Record<Total, number>>>;

/** Returns the totals of a country and of the app. */
export function totalCounters(
  deps: CounterDeps,
  country: string,
  now: number,
  added: AddedTotals = {},
): readonly Counter[] {
  const totals = ["unconfirmed", "logins", "blocks", "wideBlocks"] as const;
  const ofCountry = totals.flatMap((total) => {
    const key = `${deps.name}:limits:country:${country}:${total}`;
    return ofPeriods(`country.${total}`, key, now, added[total]);
  });
  return [...ofCountry, ...appCounters(deps, now, added)];
}

/** Returns the totals of the app. */
export function appCounters({ name }: CounterDeps, now: number, added: AddedTotals = {}): readonly Counter[] {
  const totals = ["unconfirmed", "logins"] as const;
  return totals.flatMap((total) => ofPeriods(`app.${total}`, `${name}:limits:app:${total}`, now, added[total]));
}

function ofPeriods(name: `${"country" | "app"}.${Total}`, key: string, now: number, by = 0): readonly Counter[] {
  const counters = periodCounters(key, now, by);
  return periods.map((period): Counter => ({ name: `${name}.${period}`, ...counters[period], later: true }));
}

/** Returns the counters of a day and a week, and of those before. Each period has a key of its own, which is readable in the next period. */
function periodCounters(key: string, now: number, by: number): Readonly<Record<Period, CounterChange>> {
  const { day, week } = periodsOf(now);
  return {
    today: { key: `${key}:day-${day}`, by, ttlSeconds: 2 * daySeconds },
    yesterday: { key: `${key}:day-${day - 1}`, by: 0, ttlSeconds: 2 * daySeconds },
    thisWeek: { key: `${key}:week-${week}`, by, ttlSeconds: 2 * weekSeconds },
    lastWeek: { key: `${key}:week-${week - 1}`, by: 0, ttlSeconds: 2 * weekSeconds },
  };
}
