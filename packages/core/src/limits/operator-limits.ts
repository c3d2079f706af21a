import type { CodeKeys } from "../primitives/keys.ts";
import type { Store } from "../store/store.ts";
import { failureBudgets, sendBudgets } from "./budgets.ts";
import { type ClosedGroup, createClosedGroups } from "./closed-groups.ts";
import { groupKeys } from "./group-counters.ts";
import { type GroupKind, groupRules } from "./groups.ts";
import type { LoginLimits } from "./login-limits.ts";

/** The limits of logins, as an operator sees and changes them. */
export interface OperatorLimits {
  /** Describes the limits that are running, and what they imply. Print it when you go live. */
  describe(): LimitsDescription;
  /** Lists the blocks, addresses and networks that get no codes now. @throws DoorcodeError `store_unavailable` */
  state(): Promise<readonly ClosedGroup[]>;
  /**
   * Opens what is closed, as if nothing had been counted: a block, an address or a network by its `value` in {@link state}, or a
   * number by its E.164 after too many codes or wrong codes. Ask a person who they are before you open a number for them.
   *
   * @returns whether anything was closed or counted there; `false` for a value that nothing has met, such as a misspelled one.
   * @throws DoorcodeError `store_unavailable`
   */
  open(kind: GroupKind | "phone", value: string): Promise<boolean>;
}

/** What the limits of an app imply. */
export interface LimitsDescription {
  readonly limits: LoginLimits;
  /** The chance to guess a code of one number. */
  readonly guessing: {
    /** In one login. */
    readonly ofLogin: number;
    /** In a day, by someone who starts a login as often as the limits allow. */
    readonly ofDay: number;
    /** Until the number is closed, which only its owner's login or {@link OperatorLimits.open} undoes. */
    readonly untilClosed: number;
  };
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
export interface OperatorLimitsDeps {
  /** The prefix of the app's keys in the store. */
  readonly name: string;
  readonly store: Store;
  readonly keys: Pick<CodeKeys, "fingerprint">;
  readonly limits: LoginLimits;
  /** The fewest digits that a code may have. */
  readonly minDigits: number;
}

/** Creates the limits of an operator. */
export function createOperatorLimits(deps: OperatorLimitsDeps): OperatorLimits {
  const { name, store, keys, limits, minDigits } = deps;
  const prefix = `${name}:limits`;

  function keysOf(kind: GroupKind | "phone", value: string): readonly string[] {
    if (kind === "phone") {
      const owner = { phoneFingerprint: keys.fingerprint(value) };
      return [...sendBudgets(deps, owner), ...failureBudgets(deps, owner)].map(({ key }) => key);
    }
    const isRange = kind === "block" || kind === "wide_block";
    return groupKeys(prefix, kind, isRange ? value : keys.fingerprint(value));
  }

  return {
    describe: () => ({ limits, guessing: describeGuessing(limits, minDigits), falseAlarms: describeFalseAlarms() }),
    state: () => createClosedGroups(store, prefix).list(),
    async open(kind, value) {
      const keysOfValue = keysOf(kind, value);
      const states = await store.increment(keysOfValue.map((key) => ({ key, by: 0, ttlSeconds: 1 })));
      await Promise.all(keysOfValue.map((key) => store.put(key, undefined, { ttlSeconds: 1 })));
      return states.some(({ count }) => count > 0);
    },
  };
}

function describeGuessing(limits: LoginLimits, minDigits: number): LimitsDescription["guessing"] {
  const { attemptsPerTransaction, sendsPerPhonePerDay, failuresPerPhone } = limits;
  const codes = 10 ** minDigits;
  return {
    ofLogin: attemptsPerTransaction / codes,
    ofDay: Math.min(failuresPerPhone, attemptsPerTransaction * sendsPerPhonePerDay) / codes,
    untilClosed: failuresPerPhone / codes,
  };
}

/** Each login moves the balance up by one or down by one, so it reaches a limit as a gambler reaches a sum. */
function describeFalseAlarms(): LimitsDescription["falseAlarms"] {
  return groupRules.flatMap(({ kind, unconfirmed }) =>
    [0.95, 0.85, 0.7].map((confirmed) => ({
      kind,
      unconfirmed,
      confirmed,
      chance: ((1 - confirmed) / confirmed) ** unconfirmed,
    })),
  );
}
