import type { CounterState, Store } from "../store/store.ts";
import { type ClosedGroup, groupAt, listClosedGroups } from "./closed-groups.ts";
import {
  addressFailureBudgets,
  budgetOwnersOf,
  ceilingCounters,
  closedCounters,
  failureBudgets,
  type LimitDeps,
  sendCounters,
  totalCounters,
  unconfirmedCounter,
  unitsOfPrice,
} from "./counter-table.ts";
import type { CeilingKind, Counter } from "./counters.ts";
import { totalOf } from "./decide.ts";
import { describeLimits, type LimitsDescription, type OperatorLimitsDeps } from "./describe-limits.ts";
import type { GroupKind } from "./login-limits.ts";

/** The limits of logins, as an operator sees and changes them. */
export interface OperatorLimits {
  /** Describes the limits that are running, and what they imply. Print it when you go live. */
  describe(): LimitsDescription;
  /** Lists the blocks and clients that get no codes now, and first the app if it is on alert. @throws DoorcodeError `store_unavailable` */
  state(): Promise<readonly (AlertedApp | ClosedGroup)[]>;
  /**
   * Opens what is closed, as if nothing had been counted: a block, an address or a network by its `value` in {@link state}, or a
   * number by its E.164 after too many codes or wrong codes. Ask a person who they are before you open a number for them.
   *
   * @returns whether anything was closed or counted there; `false` for a value that nothing has met, such as a misspelled one.
   * @throws DoorcodeError `store_unavailable`
   */
  open(kind: GroupKind | "phone", value: string): Promise<boolean>;
  /** Lists the ceilings that the app has. @throws DoorcodeError `store_unavailable` */
  ceilings(): Promise<readonly Ceiling[]>;
  /**
   * Raises or lowers a ceiling for a time, in every process; `undefined` returns to the configured one. A process follows after at most
   * five seconds and one code. It may still send what it had reserved: at most a hundredth of the ceiling of before.
   *
   * @param value - the codes of the hour or the day, or the cost of the day. 0 sends nothing.
   * @param options.forSeconds - the time until the configured ceiling holds again. Default: 3600.
   * @throws TypeError for a ceiling that the app does not have, and for a wrong value or time; DoorcodeError `store_unavailable`
   */
  changeCeiling(kind: CeilingKind, value: number | undefined, options?: { readonly forSeconds: number }): Promise<void>;
}

/** The app as a whole, while it has far more unconfirmed logins than its past explains. That refuses nothing by itself. */
export interface AlertedApp {
  readonly kind: "app";
  /** The unconfirmed logins of about a day, and how many the app may have without an alert. */
  readonly unconfirmed: number;
  readonly threshold: number;
}

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

/** Creates the limits of an operator. */
export function createOperatorLimits(deps: OperatorLimitsDeps): OperatorLimits {
  const { store, clock, keys } = deps;

  function countersAt(kind: GroupKind | "phone", value: string): readonly Counter[] {
    if (kind === "phone") {
      const owners = budgetOwnersOf(keys.fingerprint(value));
      return owners.flatMap((owner) => [...sendCounters(deps, owner, clock.now(), 0), ...failureBudgets(deps, owner)]);
    }
    const group = groupAt(deps, kind, value);
    const ofGroup = [unconfirmedCounter(deps, group, 0), ...closedCounters(deps, group)];
    return kind === "address" ? [...ofGroup, ...addressFailureBudgets(deps, group.name, "newest")] : ofGroup;
  }

  async function readAlert(): Promise<readonly AlertedApp[]> {
    const now = clock.now();
    const answers = await deps.counters.increment(totalCounters(deps, now));
    const { isOver, ...total } = totalOf(answers, "app", now, 0);
    return isOver ? [{ kind: "app", ...total }] : [];
  }

  return {
    describe: () => describeLimits(deps),
    state: async () => (await Promise.all([readAlert(), listClosedGroups(deps)])).flat(),
    async open(kind, value) {
      const counters = countersAt(kind, value);
      const states = await readCounters(store, counters);
      await Promise.all(counters.map(({ key }) => store.put(key, undefined, { ttlSeconds: 1 })));
      return states.some(({ count }) => count > 0);
    },
    ceilings: () => listCeilings(deps),
    changeCeiling: (kind, value, options) => changeCeiling(deps, kind, value, options),
  };
}

function readCounters(store: Store, counters: readonly Counter[]): Promise<readonly CounterState[]> {
  return store.increment(counters.map(({ key }) => ({ key, by: 0, ttlSeconds: 1 })));
}

async function listCeilings(deps: LimitDeps): Promise<readonly Ceiling[]> {
  const { store, clock } = deps;
  const counters = ceilingCounters(deps, "", clock.now());
  const states = await readCounters(store, counters);
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

async function changeCeiling(
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
