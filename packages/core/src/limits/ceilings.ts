import { ceilingCounters, type LimitDeps, unitsOfPrice } from "./counter-table.ts";
import type { CeilingKind } from "./counters.ts";

/** A ceiling of the whole app: codes, or the cost in the currency of `prices`. */
export interface Ceiling {
  readonly kind: CeilingKind;
  /** What the options say. */
  readonly configured: number;
  /** What holds now. */
  readonly current: number;
  /** The time until the configured ceiling holds again. None if nobody has changed it. */
  readonly changedForSeconds?: number;
  /** What is used up in this hour or day, with the hundredth that each process reserves in advance. */
  readonly used: number;
}

/** Lists the ceilings that the app has. @throws DoorcodeError `store_unavailable` */
export async function listCeilings(deps: LimitDeps): Promise<readonly Ceiling[]> {
  const { store, clock } = deps;
  const counters = ceilingCounters(deps, "", clock.now());
  const states = await store.increment(counters.map(({ key }) => ({ key, by: 0, ttlSeconds: 1 })));
  return counters.flatMap(({ name, limit = 0, changedBy }, index) => {
    if (!changedBy) return [];
    const [used, changed] = [states[index]?.count ?? 0, states[index + 1]];
    const unit = unitOf(name);
    const change = changed && changed.count > 0 && { changedForSeconds: changed.secondsLeft };
    const current = change ? changed.count - 1 : limit;
    const kind = name as CeilingKind;
    return { kind, configured: limit / unit, current: current / unit, used: used / unit, ...change };
  });
}

/**
 * Raises or lowers a ceiling for a time, in every process: see `OperatorLimits.changeCeiling`.
 *
 * @throws TypeError for a ceiling that the app does not have, and for a wrong value or time
 * @throws DoorcodeError `store_unavailable`
 */
export async function changeCeiling(
  deps: LimitDeps,
  kind: CeilingKind,
  value: number | undefined,
  { forSeconds = 3600 }: { readonly forSeconds?: number } = {},
): Promise<void> {
  const { store, clock } = deps;
  const ceiling = ceilingCounters(deps, "", clock.now()).find(({ name }) => name === kind);
  if (!ceiling?.changedBy) throw new TypeError(`limits.changeCeiling: ${missingCeiling[kind] ?? "unknown ceiling"}`);
  const { key } = ceiling.changedBy;
  const count = Math.round((value ?? 0) * unitOf(kind)) + 1;
  const isValid = Number.isSafeInteger(count) && count > 0 && Number.isSafeInteger(forSeconds) && forSeconds > 0;
  if (!isValid) throw new TypeError(wrongCeiling);
  const change = { key, by: count, limit: count, ttlSeconds: forSeconds };
  let isChanged = false;
  // If another operator changes it at the same time, the limit refuses the sum of both: the later one replaces the other.
  while (!isChanged) {
    await store.put(key, undefined, { ttlSeconds: 1 });
    const [state] = value === undefined ? [] : await store.increment([change]);
    isChanged = state?.granted ?? true;
  }
}

const missingCeiling: Readonly<Record<CeilingKind, string>> = {
  sends_per_hour: "the app has no such ceiling: set login.limits.sendsPerHour in createDoorcode.",
  sends_per_day: "the app has no such ceiling: set login.limits.sendsPerDay in createDoorcode.",
  cost_per_day: "the app has no such ceiling: set login.limits.costPerDay and prices in createDoorcode.",
};
const wrongCeiling =
  "limits.changeCeiling: expected a number from 0, such as 500, and forSeconds as a whole number above 0, such as 3600.";

function unitOf(name: string): number {
  return name === "cost_per_day" ? unitsOfPrice : 1;
}
