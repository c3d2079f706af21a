import { type ClosedGroup, groupAt, listClosedGroups } from "./closed-groups.ts";
import {
  addressFailureBudgets,
  budgetOwnersOf,
  ceilingCounters,
  closedCounters,
  failureBudgets,
  type LimitDeps,
  maxKnownDevices,
  sendCounters,
  sendsPerOtherDevices,
  totalCounters,
  unconfirmedCounter,
  unitsOfPrice,
} from "./counter-table.ts";
import type { CeilingKind, Counter } from "./counters.ts";
import { totalOf } from "./decide.ts";
import {
  alertRules,
  codeLengthAfter,
  type GroupKind,
  groupKinds,
  groupRules,
  type LoginLimits,
  maxFailuresFor,
} from "./login-limits.ts";

/** The limits of logins, as an operator sees and changes them. */
export interface OperatorLimits {
  /** Describes the limits that are running, and what they imply. Print it when you go live. */
  describe(): LimitsDescription;
  /**
   * Lists the blocks, addresses and networks that get no codes now, and first the app if it is on alert.
   *
   * @throws DoorcodeError `store_unavailable`
   */
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
   * @param options.forSeconds - the time until the configured ceiling holds again.
   * @throws TypeError for a ceiling that the app does not have, and for a wrong value or time
   * @throws DoorcodeError `store_unavailable`
   */
  changeCeiling(kind: CeilingKind, value: number | undefined, options?: { readonly forSeconds: number }): Promise<void>;
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

/** The app as a whole, while it has far more unconfirmed logins than its past explains. That refuses nothing by itself. */
export interface AlertedApp {
  readonly kind: "app";
  /** The unconfirmed logins of about a day, and how many the app may have without an alert. */
  readonly unconfirmed: number;
  readonly threshold: number;
}

/** What the limits of an app imply. */
export interface LimitsDescription {
  readonly limits: LoginLimits;
  /** What strangers and all known devices of one number may have together. */
  readonly ofNumber: {
    readonly sendsPerDay: number;
    /** Wrong codes in a row, before the number is closed or has the longest codes to everybody. */
    readonly failuresInARow: number;
    readonly knownDevices: number;
  };
  /** The chance to guess a code of one number. */
  readonly guessing: {
    /** In one login. */
    readonly ofLogin: number;
    /** In a day, by someone who starts a login as often as the limits allow and tries every attempt. */
    readonly ofDay: number;
    /** In a year of such days, if the owner logs in on a new device once a week: each time the wrong codes begin at zero again. */
    readonly ofYear: number;
    /** Until the number is closed, which only its owner's login or {@link OperatorLimits.open} undoes; `undefined` if nothing closes it. */
    readonly untilClosed: number | undefined;
    /** From one address in a day, over all numbers: times the addresses, the logins that an attacker of many numbers can expect. */
    readonly ofAddressPerDay: number;
  };
  /** An alert begins beyond so many unconfirmed logins of about a day, and so many more for each login of a usual day. */
  readonly alerts: Readonly<
    Record<"country" | "app", { readonly unconfirmed: number; readonly perDailyLogin: number }>
  >;
  /** The chance that honest people without a past close a group, each time its balance leaves zero. */
  readonly falseAlarms: readonly {
    readonly kind: GroupKind;
    readonly unconfirmed: number;
    /** The part of people who enter their code. */
    readonly confirmed: number;
    readonly chance: number;
  }[];
}

/** The dependencies of an operator's limits. */
export interface OperatorLimitsDeps extends LimitDeps {
  /** The fewest digits that a code may have. */
  readonly minDigits: number;
  /** True if many wrong codes make the codes of a number longer. */
  readonly lengthensCodes: boolean;
}

/** Creates the limits of an operator. */
export function createOperatorLimits(deps: OperatorLimitsDeps): OperatorLimits {
  const { store, clock, keys, limits } = deps;

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
    describe: () => ({
      limits,
      ofNumber: {
        sendsPerDay: limits.sendsPerPhonePerDay + limits.sendsPerDevicePerDay + sendsPerOtherDevices(limits),
        // Of strangers, of the newest device, and of the other known ones.
        failuresInARow: 3 * limits.failuresPerPhone,
        knownDevices: maxKnownDevices,
      },
      guessing: describeGuessing(deps),
      alerts: alertRules,
      falseAlarms: describeFalseAlarms(),
    }),
    state: async () => (await Promise.all([readAlert(), listClosedGroups(deps)])).flat(),
    async open(kind, value) {
      const counters = countersAt(kind, value);
      const states = await store.increment(counters.map(({ key }) => ({ key, by: 0, ttlSeconds: 1 })));
      await Promise.all(counters.map(({ key }) => store.put(key, undefined, { ttlSeconds: 1 })));
      return states.some(({ count }) => count > 0);
    },
    async ceilings() {
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
    },
    async changeCeiling(kind, value, { forSeconds = 3600 } = { forSeconds: 3600 }) {
      const ceiling = ceilingCounters(deps, "", clock.now()).find(({ name }) => name === kind);
      if (!ceiling?.changedBy)
        throw new TypeError(`limits.changeCeiling: ${missingCeiling[kind] ?? "unknown ceiling"}`);
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
    },
  };
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

function describeGuessing(deps: OperatorLimitsDeps): LimitsDescription["guessing"] {
  const { limits, minDigits, lengthensCodes } = deps;
  const { attemptsPerTransaction, sendsPerPhonePerDay, failuresPerPhone, failuresPerAddressPerDay } = limits;
  const perDay = attemptsPerTransaction * sendsPerPhonePerDay;
  const ofCode = 10 ** -minDigits;
  return {
    ofLogin: attemptsPerTransaction * ofCode,
    ofDay: chanceOf(deps, perDay),
    ofYear: (365 / 7) * chanceOf(deps, 7 * perDay),
    untilClosed: lengthensCodes ? undefined : failuresPerPhone * ofCode,
    ofAddressPerDay: failuresPerAddressPerDay * ofCode,
  };
}

/** Returns the chance that one of so many codes is right, which are tried in a row: as many of each length as are checked. */
function chanceOf({ limits, minDigits, lengthensCodes }: OperatorLimitsDeps, guesses: number): number {
  if (!lengthensCodes) return Math.min(guesses, limits.failuresPerPhone) * 10 ** -minDigits;
  let chance = 0;
  let tried = 0;
  for (let digits = minDigits; tried < guesses; ) {
    const last = Math.min(guesses, maxFailuresFor(limits, digits) ?? guesses);
    chance += (last - tried) * 10 ** -digits;
    tried = last;
    digits = codeLengthAfter(limits, tried, minDigits);
  }
  return chance;
}

/** Each login moves the balance up by one or down by one, so it reaches a limit as a gambler reaches a sum. */
function describeFalseAlarms(): LimitsDescription["falseAlarms"] {
  return groupKinds.flatMap((kind) =>
    [0.95, 0.85, 0.7].map((confirmed) => {
      const { unconfirmed } = groupRules[kind];
      return { kind, unconfirmed, confirmed, chance: ((1 - confirmed) / confirmed) ** unconfirmed };
    }),
  );
}
