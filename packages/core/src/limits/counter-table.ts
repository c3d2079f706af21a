import type { Store } from "../store/store.ts";
import type { ClientAddress } from "../util/client.ts";
import type { Clock } from "../util/clock.ts";
import type { CodeKeys } from "../util/keys.ts";
import type { Counter, Counters, Dated, KnownDevice, Period, Total } from "./counters.ts";
import type { Group, LimitRequest } from "./decision.ts";
import {
  type GroupKind,
  groupKinds,
  groupRules,
  type LoginLimits,
  maxFailuresFor,
  type ObservableLimit,
} from "./login-limits.ts";

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

/** The dependencies of the table. */
export interface CounterDeps {
  readonly name: string;
  readonly limits: LoginLimits;
}

/** The dependencies of the limits. */
export interface LimitDeps extends CounterDeps {
  readonly store: Store;
  readonly counters: Counters;
  readonly clock: Clock;
  readonly keys: Pick<CodeKeys, "fingerprint">;
}

/** Returns all counters of a code. */
export function countersOf(deps: CounterDeps, request: LimitRequest): readonly Counter[] {
  const { now, country, phoneFingerprint, deviceDigest, groups, added, by, login } = request;
  return [
    ...sendCounters(deps, { phoneFingerprint }, now, by),
    // A process answers for its share of a ceiling, which a code has to take to learn whether anything is left.
    ...(by === 0 ? [] : ceilingCounters(deps, country, now)),
    ...totalCounters(deps, now, country),
    ...groups.flatMap((group) => [
      unconfirmedCounter(deps, group, by * added),
      ...closedCounters(deps, group),
      ...groupLoginCounters(deps, group, now, 0),
    ]),
    // A new login may be one of a known number or of a known device, whose failures are counted separately.
    ...(login ? [] : historyCounters(deps, phoneFingerprint, deviceDigest)),
    ...(login ? [] : budgetOwnersOf(phoneFingerprint).map((owner) => inARow(deps, owner, 0))),
  ];
}

/** The owner of budgets. Strangers cannot use up the budgets of known devices. */
export interface BudgetOwner {
  /** The keyed digest of the canonical number, so that all spellings share one budget. */
  readonly phoneFingerprint: string;
  readonly knownDevice?: KnownDevice | undefined;
}

/** Returns the owners of the budgets of a number: strangers, the newest device, and the other known devices. */
export function budgetOwnersOf(phoneFingerprint: string): readonly BudgetOwner[] {
  return ([undefined, "newest", "other"] as const).map((knownDevice) => ({ phoneFingerprint, knownDevice }));
}

/** The newest device has separate counters, so no former holder of a number uses up what its owner has. */
function idOf({ phoneFingerprint, knownDevice }: BudgetOwner): string {
  return knownDevice === undefined ? phoneFingerprint : `${phoneFingerprint}.${knownDevice}`;
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
  const { sendsPerPhone, sendWindowSeconds, sendsPerPhonePerDay, sendsPerDevicePerDay, cooldownSeconds } = limits;
  const perDay = { number: sendsPerPhonePerDay, newest: sendsPerDevicePerDay, other: sendsPerOtherDevices(limits) };
  const newestPart = Math.floor(now / 1000 / partSeconds);
  const parts = Array.from({ length: partsOfDay + 1 }, (_, before): Counter => {
    const key = `${name}:sends-of-day:${id}.${newestPart - before}`;
    const part = { name: `${of}.part${before}`, key, by: before === 0 ? by : 0 } as const;
    return { ...part, limit: perDay[of], ttlSeconds: daySeconds, renew: true, refusal };
  });
  const window = { name: `${of}.window`, key: `${name}:sends:${id}`, by, limit: sendsPerPhone, refusal } as const;
  // One code may be sent in the first pause, two in the second pause, and so on.
  const pauses = cooldownSeconds.map((ttlSeconds, index): Counter => {
    const pause = { name: `${of}.pause${index}`, key: `${name}:cooldown-${index + 1}:${id}`, by } as const;
    // Each code waits for the code before it, also if one was given back in between.
    return { ...pause, limit: index + 1, ttlSeconds, renew: true, refusal: "cooldown" };
  });
  return [...parts, { ...window, ttlSeconds: sendWindowSeconds }, ...pauses.filter((pause) => pause.ttlSeconds > 0)];
}

/** Returns the codes of a day that all known devices but the newest have together: else each device would bring more texts. */
export function sendsPerOtherDevices({ sendsPerDevicePerDay }: Pick<LoginLimits, "sendsPerDevicePerDay">): number {
  return Math.ceil(sendsPerDevicePerDay / 10);
}

/**
 * Returns the budgets of one wrong code for a number: a hard limit, and before it a gate that slows down. Without a `codeLength` that the
 * kit chose, the hard limit closes the number; with it, the limit only ends logins whose codes have become too short.
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
  return [inARow(deps, owner, 1, codeLength), gate];
}

/** A limit that opened again each day would allow 36,500 guesses a year: for a code of six digits, 3.6 % of them right. */
function inARow({ name, limits }: CounterDeps, owner: BudgetOwner, by: 0 | 1, codeLength?: number): Counter {
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
 * Returns the budgets of one wrong code from an address (its fingerprint), for someone who tries a few codes of each of many numbers. The
 * wrong codes of known devices count for the address too, but strangers behind it cannot use up what known devices may fail.
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

/** Tells whether a limit refuses. */
export function isEnforced({ mode }: LoginLimits, limit: ObservableLimit): boolean {
  return (typeof mode === "string" ? mode : (mode[limit] ?? "enforce")) === "enforce";
}

/** What a login adds to the past of a number: a proof, and the place of a device, which gets no later one than `maxPlace`. */
export type Proof = Partial<Readonly<Record<"login" | "verify" | "newestPlace" | "place" | "maxPlace", number>>>;

/**
 * Returns the past of a number: its proofs, and the places of the devices that have proven it. The lifetime that is left of a proof tells
 * when the number was proven. A `verify` shows that a person has the number, and not whose account it is: the next owner of a number must
 * not make it look used by a form without an account.
 *
 * Each login takes the next place for its device, and a device is known while it has one of the last eight places. So two counters tell
 * whether a device is known, and no list is stored.
 */
export function historyCounters(
  { name }: CounterDeps,
  phoneFingerprint: string,
  deviceDigest?: string,
  added: Proof = {},
): readonly Counter[] {
  const proven = `${name}:limits:proven:${phoneFingerprint}`;
  const devices = `${name}:limits:devices:${phoneFingerprint}`;
  const remembered = { by: added.login ?? 0, ttlSeconds: rememberedSeconds };
  const ofDevices = { ttlSeconds: deviceSeconds, renew: true };
  const counters: readonly Counter[] = [
    { name: "proven.first", key: `${proven}:first`, ...remembered },
    { name: "proven.last", key: `${proven}:last`, ...remembered, renew: true },
    { name: "proven.verified", key: `${proven}:verified`, by: added.verify ?? 0, ttlSeconds: daySeconds, renew: true },
    { name: "device.newestPlace", key: devices, by: added.newestPlace ?? 0, ...ofDevices },
  ];
  if (deviceDigest === undefined) return counters;
  const { place = 0, maxPlace } = added;
  const limit = maxPlace !== undefined && { limit: maxPlace };
  return [...counters, { name: "device.place", key: `${devices}:${deviceDigest}`, by: place, ...limit, ...ofDevices }];
}

/** Returns the groups of a login, in the order in which they are compared. Give the `client` too if a group may be closed for it. */
export function groupsOf(
  phone: string,
  fingerprints: ClientAddress,
  client: ClientAddress = fingerprints,
): readonly Group[] {
  const blocks = { block: phone.slice(0, -4), wide_block: phone.slice(0, -6) };
  const names = { ...blocks, address: fingerprints.address, network: fingerprints.network };
  const values = { ...blocks, address: client.address, network: client.network };
  return groupKinds.map((kind) => ({ kind, name: names[kind], value: values[kind] }));
}

/** Tells whether a group is one of numbers. The others are groups of clients. */
export function isBlock({ kind }: Pick<Group, "kind">): boolean {
  return kind === "block" || kind === "wide_block";
}

function groupKey({ name }: CounterDeps, group: Group): string {
  return `${name}:limits:${group.kind}:${group.name}`;
}

/**
 * Returns the balance of unconfirmed logins of a group: each login adds one when its code is sent, and a login that is confirmed takes two
 * off, down to zero. While most people enter their code, the balance stays near zero, for any number of people.
 */
export function unconfirmedCounter(deps: CounterDeps, group: Group, by: number): Counter {
  const { ttlSeconds } = groupRules[group.kind];
  return { name: `${group.kind}.unconfirmed`, key: groupKey(deps, group), by, ttlSeconds };
}

/** Returns whether a group is closed, and how often within a week. `closedSeconds` closes it: the store grants one of several calls. */
export function closedCounters(deps: CounterDeps, group: Group, closedSeconds?: number): readonly [Counter, Counter] {
  const { kind } = group;
  const key = groupKey(deps, group);
  const by = closedSeconds === undefined ? 0 : 1;
  return [
    { name: `${kind}.closed`, key: `${key}:closed`, by, limit: 1, ttlSeconds: closedSeconds ?? hourSeconds },
    { name: `${kind}.timesClosed`, key: `${key}:times-closed`, by, ttlSeconds: weekSeconds, renew: true },
  ];
}

/** Returns the people of a group who have logged in. Those of a day are counted only where they are limited. */
export function groupLoginCounters(deps: CounterDeps, group: Group, now: number, by: 0 | 1): readonly Counter[] {
  const { today, thisWeek, lastWeek } = periodCounters(group.kind, `${groupKey(deps, group)}:logins`, now, by);
  return groupRules[group.kind].confirmedPerDay === undefined ? [thisWeek, lastWeek] : [today, thisWeek, lastWeek];
}

/**
 * Returns the undelivered codes of today, with another one. A number may have one, and a block as many as it may have unconfirmed logins.
 */
export function undeliveredCounter(
  { name }: CounterDeps,
  kind: "number" | GroupKind,
  id: string,
  now: number,
): Counter {
  const { today } = periodCounters(`${kind}.undelivered`, `${name}:limits:undelivered:${kind}:${id}`, now, 1);
  return { ...today, limit: kind === "number" ? 1 : groupRules[kind].unconfirmed };
}

/** Prices are counted in ten-thousandths, because counters are whole numbers. */
export const unitsOfPrice = 10_000;

/** Returns the ceilings that the app has, and after each one the counter by which an operator changes it. */
export function ceilingCounters({ name, limits }: CounterDeps, country: string, now: number): readonly Counter[] {
  const { costPerDay, prices = {} } = limits;
  const price = Math.round((prices[country] ?? prices.other ?? 0) * unitsOfPrice);
  const cost = costPerDay === undefined ? undefined : Math.round(costPerDay * unitsOfPrice);
  const hour = { ttlSeconds: hourSeconds, refusal: "hourly_ceiling_reached" } as const;
  const day = { ttlSeconds: daySeconds, refusal: "daily_ceiling_reached" } as const;
  const ceilings = [
    { name: "sends_per_hour", by: 1, limit: limits.sendsPerHour, ...hour },
    { name: "sends_per_day", by: 1, limit: limits.sendsPerDay, ...day },
    { name: "cost_per_day", by: price, limit: cost, ...day, refusal: "cost_ceiling_reached" },
  ] as const;
  return ceilings.flatMap(({ limit, ...ceiling }): readonly Counter[] => {
    if (limit === undefined) return [];
    const key = `${name}:limits:${ceiling.name}`;
    const period = Math.floor(now / 1000 / ceiling.ttlSeconds);
    const changedBy: Counter = {
      name: `${ceiling.name}.changed`,
      key: `${key}:changed`,
      by: 0,
      ttlSeconds: daySeconds,
      shared: true,
    };
    return [{ ...ceiling, key: `${key}:${period}`, limit, shared: true, changedBy }, changedBy];
  });
}

/** Returns the totals of a country and of the app; without a country those of the app alone. */
export function totalCounters(
  { name }: CounterDeps,
  now: number,
  country?: string,
  added: Partial<Readonly<Record<Total, number>>> = {},
): readonly Counter[] {
  const rows = (of: "country" | "app", key: string, totals: readonly Total[]) =>
    totals.flatMap((total) => {
      const counters = periodCounters(`${of}.${total}`, `${name}:limits:${key}:${total}`, now, added[total] ?? 0);
      return Object.values(counters).map((counter): Counter => ({ ...counter, shared: true }));
    });
  const ofApp = rows("app", "app", ["unconfirmed", "logins"]);
  if (country === undefined) return ofApp;
  return [...rows("country", `country:${country}`, ["unconfirmed", "logins", "blocks", "wideBlocks"]), ...ofApp];
}

/** Returns the counters of a day and a week, and of those before. Each period has its own key, which is readable in the next period. */
function periodCounters(name: Dated, key: string, now: number, by: number): Readonly<Record<Period, Counter>> {
  const { day, week } = periodsOf(now);
  const [days, weeks] = [2 * daySeconds, 2 * weekSeconds];
  return {
    today: { name: `${name}.today`, key: `${key}:day-${day}`, by, ttlSeconds: days },
    yesterday: { name: `${name}.yesterday`, key: `${key}:day-${day - 1}`, by: 0, ttlSeconds: days },
    thisWeek: { name: `${name}.thisWeek`, key: `${key}:week-${week}`, by, ttlSeconds: weeks },
    lastWeek: { name: `${name}.lastWeek`, key: `${key}:week-${week - 1}`, by: 0, ttlSeconds: weeks },
  };
}

/** Returns the day and the week of an instant, counted from 1970, and how much of them is over, in days. */
export function periodsOf(now: number): Readonly<Record<"day" | "week" | "partOfDay" | "daysIntoWeek", number>> {
  const days = now / 1000 / daySeconds;
  const [day, week] = [Math.floor(days), Math.floor(days / 7)];
  return { day, week, partOfDay: days - day, daysIntoWeek: days - 7 * week };
}
