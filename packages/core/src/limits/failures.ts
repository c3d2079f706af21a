import type { CounterChange } from "../store/store.ts";
import { type Budget, type BudgetDeps, type BudgetOwner, nameOf } from "./budgets.ts";
import type { KnownDevice } from "./known-devices.ts";
import { isEnforced, type LoginLimits } from "./login-limits.ts";
import type { CounterQuery } from "./query.ts";

/*
 * Wrong codes of a number in a row, over all of its logins. A limit that closes the number is a weapon against its owner, so it is
 * used only where nothing else helps. Where the app owns the codes, they get longer instead: a code of ten digits is not guessed.
 */

const tenMinutes = 600;
const daySeconds = 86_400;
/** A limit that opened again each day would allow 36,500 guesses a year: for a code of six digits, 3.6 % of them right. */
const rememberedSeconds = 34_560_000;

/** The greatest number of digits that a code may have. */
export const maxCodeLength = 10;

/** The numbers of digits that follow after a part of `failuresPerPhone`: 8 after 20 wrong codes, 10 after 60. */
const longerCodes = [
  { digits: 8, afterPart: 0.2 },
  { digits: maxCodeLength, afterPart: 0.6 },
];

type FailureLimits = Pick<LoginLimits, "failuresPerPhone" | "attemptsPerTransaction">;

function failuresBefore({ failuresPerPhone }: FailureLimits, afterPart: number): number {
  return Math.ceil(failuresPerPhone * afterPart);
}

/**
 * Returns the number of digits of a number's next codes.
 *
 * @param failures - the wrong codes in a row.
 * @param usualDigits - the number of digits without any.
 */
export function codeLengthAfter(limits: FailureLimits, failures: number, usualDigits: number): number {
  const reached = longerCodes.filter(({ afterPart }) => failures >= failuresBefore(limits, afterPart));
  return Math.max(usualDigits, ...reached.map(({ digits }) => digits));
}

/**
 * Returns how many wrong codes in a row a number may have while codes of so many digits are checked; `undefined` for the longest
 * codes, which are always checked. A login that began just before the codes became longer has all of its attempts.
 */
export function maxFailuresFor(limits: FailureLimits, codeLength: number): number | undefined {
  const longer = longerCodes.find(({ digits }) => digits > codeLength);
  return longer && failuresBefore(limits, longer.afterPart) + limits.attemptsPerTransaction;
}

/**
 * Returns the budgets of one wrong code for a number: a hard limit, and before it a gate that slows down.
 *
 * @param codeLength - the number of digits of the login's codes, if the kit chose it. Without it the hard limit closes the number;
 * with it, the limit only ends logins whose codes have become too short.
 */
export function failureBudgets(deps: BudgetDeps, owner: BudgetOwner, codeLength?: number): readonly Budget[] {
  const { name, limits } = deps;
  const gate: Budget = {
    key: `${name}:failures-gate:${nameOf(owner)}`,
    by: 1,
    limit: limits.failuresPerPhoneInTenMinutes,
    ttlSeconds: tenMinutes,
    refusal: "too_many_failures",
  };
  return [inARow(deps, owner, codeLength), gate];
}

function inARow({ name, limits }: BudgetDeps, owner: BudgetOwner, codeLength: number | undefined): Budget {
  const limit = codeLength === undefined ? limits.failuresPerPhone : maxFailuresFor(limits, codeLength);
  return {
    key: `${name}:failures:${nameOf(owner)}`,
    by: 1,
    ...(limit !== undefined && { limit }),
    ttlSeconds: rememberedSeconds,
    renew: true,
    refusal: codeLength === undefined ? "phone_closed" : "attempts_exhausted",
    closes: true,
  };
}

/** Returns the query that reads how many codes of a number in a row were wrong. */
export function failuresQuery(deps: BudgetDeps, owner: BudgetOwner): CounterQuery<number> {
  return {
    changes: [{ ...inARow(deps, owner, maxCodeLength), by: 0 }],
    read: ([failures]) => failures?.count ?? 0,
  };
}

/**
 * Returns the budgets of one wrong code from a client's address. Someone who tries a few codes of each of many numbers meets no limit of
 * a number. Those of known devices count for the address too, but strangers there cannot use up what known devices may fail.
 *
 * @param address - the fingerprint of the address.
 */
export function addressFailureBudgets(
  { name, limits }: BudgetDeps,
  address: string,
  knownDevice?: KnownDevice | undefined,
): readonly Budget[] {
  const limit = isEnforced(limits, "address") ? limits.failuresPerAddressPerDay : Number.MAX_SAFE_INTEGER;
  const ofAll = { by: 1, key: `${name}:failures-of-address:${address}`, ttlSeconds: daySeconds };
  const ofDevices = { ...ofAll, key: `${ofAll.key}.devices`, limit };
  const budgets = knownDevice === undefined ? [{ ...ofAll, limit }] : [ofAll, ofDevices];
  return budgets.map((budget) => ({ ...budget, refusal: "client_limit_reached" }));
}

/** Wrong codes that a right one from the same address outweighs: people behind one address mistype, and most of them log in. */
const outweighed = 2;

/** Returns the changes of an address's failures when a login of it was completed. */
export function outweighingChanges(
  deps: BudgetDeps,
  address: string,
  knownDevice: KnownDevice | undefined,
): readonly CounterChange[] {
  return addressFailureBudgets(deps, address, knownDevice).map((budget) => ({ ...budget, by: -outweighed }));
}
