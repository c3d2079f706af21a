import { isEnforced, type LimitDeps, maxKnownDevices, sendsPerOtherDevices } from "./counter-table.ts";
import {
  alertRules,
  codeLengthAfter,
  type GroupKind,
  groupKinds,
  groupRules,
  type LoginLimits,
  maxFailuresFor,
} from "./login-limits.ts";

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
    /**
     * From one address in a day, over all numbers: times the addresses, the logins that an attacker of many numbers can expect. `undefined`
     * while `mode` only observes addresses.
     */
    readonly ofAddressPerDay: number | undefined;
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

/** Describes the limits that are running, and what they imply. */
export function describeLimits(deps: OperatorLimitsDeps): LimitsDescription {
  const { limits } = deps;
  return {
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
  };
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
    ofAddressPerDay: isEnforced(limits, "address") ? failuresPerAddressPerDay * ofCode : undefined,
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
