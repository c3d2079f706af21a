import { type Ceiling, changeCeiling, listCeilings } from "./ceilings.ts";
import { type ClosedGroup, groupAt, listClosedGroups } from "./closed-groups.ts";
import {
  addressFailureBudgets,
  budgetOwnersOf,
  closedCounters,
  failureBudgets,
  sendCounters,
  totalCounters,
  unconfirmedCounter,
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
      const states = await store.increment(counters.map(({ key }) => ({ key, by: 0, ttlSeconds: 1 })));
      await Promise.all(counters.map(({ key }) => store.put(key, undefined, { ttlSeconds: 1 })));
      return states.some(({ count }) => count > 0);
    },
    ceilings: () => listCeilings(deps),
    changeCeiling: (kind, value, options) => changeCeiling(deps, kind, value, options),
  };
}
