import { z } from "zod";
import { isCountry } from "../phone/phone-number.ts";
import type { ErrorCode } from "../util/errors.ts";
import { strictOptions, wholeNumberOption } from "../util/parse-options.ts";

/** The limits of a login. Zero means zero: no cooldown, or not a single send. */
export interface LoginLimits {
  /**
   * Pauses between codes to one number, in seconds: after the first code, after the second, and so on. After the last pause
   * the first one comes again. Default: `[30, 60, 120, 300]`.
   */
  readonly cooldownSeconds: readonly number[];
  /** Codes to one number within `sendWindowSeconds`, all purposes and channels together. Default: 5. */
  readonly sendsPerPhone: number;
  /** The window of `sendsPerPhone`, in seconds. Default: 3600. */
  readonly sendWindowSeconds: number;
  /** Codes to one number within a day. Default: 10. */
  readonly sendsPerPhonePerDay: number;
  /**
   * Codes to one number within a day for the device that has proven it last, beside those of the number, which strangers can use up. All
   * other devices that have proven it get a tenth of this together, rounded up. Default: 10.
   */
  readonly sendsPerDevicePerDay: number;
  /** Codes of the whole app within an hour. Default: no limit. */
  readonly sendsPerHour?: number | undefined;
  /** Codes of the whole app within a day, in UTC. Default: no limit. */
  readonly sendsPerDay?: number | undefined;
  /** The cost of all codes within a day, in UTC and in the currency of `prices`. Default: no limit. */
  readonly costPerDay?: number | undefined;
  /** The price of a code by ISO 3166 country, and that of all `other` countries. `costPerDay` needs it. */
  readonly prices?: Readonly<Record<string, number>> | undefined;
  /** Codes that may be tried in one login. Default: 5. */
  readonly attemptsPerTransaction: number;
  /**
   * Pauses between the codes that are tried in one login, in seconds: after the first code, after the second, and so on. The last one
   * stays. Default: `[0, 0, 60, 120]`.
   */
  readonly checkPauseSeconds: readonly number[];
  /**
   * Wrong codes for one number in a row, over all logins. With `serviceCodes` the number is closed then, for 400 days;
   * `doorcode.limits.open` opens it. With `appCodes` no number is closed: its codes have 8 digits after a fifth of this, and 10
   * after three fifths. Default: 100.
   */
  readonly failuresPerPhone: number;
  /** Wrong codes for one number within ten minutes. Default: 10. */
  readonly failuresPerPhoneInTenMinutes: number;
  /** Wrong codes from one address within a day; a right code outweighs two. Off while `mode` observes addresses. Default: 100. */
  readonly failuresPerAddressPerDay: number;
  /**
   * `observe` lets a limit of number ranges, addresses, networks or countries only report on `onEvent` what it would refuse.
   * One word is for all of them, an object for each. Default: `enforce`, and `observe` without `origins`.
   */
  readonly mode: LimitMode | Readonly<Partial<Record<ObservableLimit, LimitMode>>>;
}

/** Whether a limit refuses, or only reports what it would refuse. */
export type LimitMode = "enforce" | "observe";

/** The limits that can be observed. `country` is the alert of a country, which lowers the other limits. */
export type ObservableLimit = GroupKind | "country";

/** The limits that were configured, and the defaults of the others. Without a `mode`, `origins` decides. */
export type CheckedLimits = Omit<LoginLimits, "mode"> & { readonly mode?: LoginLimits["mode"] | undefined };

const modeShape = z.enum(["enforce", "observe"], 'expected "enforce" or "observe"');
const pauseShape = wholeNumberOption(0, 3600);

/** Creates the shape of pauses: one for all, or a list of them. */
function pausesOption(defaults: readonly number[]) {
  return z
    .union([pauseShape.transform((seconds) => [seconds]), z.array(pauseShape).max(10)], {
      error: `expected seconds from 0 to 3600, or a list of at most ten, such as [${defaults.join(", ")}]`,
    })
    .default([...defaults]);
}

function amountOption(expected: string, max: number) {
  return z.number(expected).min(0, expected).max(max, expected);
}

const maxCeiling = 1_000_000_000;
const pricesShape = z
  .record(
    z.string(),
    amountOption("expected the price of a code from 0 to 1000, such as 0.08", 1000),
    "expected prices such as { DE: 0.08, other: 0.2 }",
  )
  .superRefine((prices, context) => {
    for (const name of Object.keys(prices).filter((name) => name !== "other" && !isCountry(name))) {
      context.addIssue({ code: "custom", path: [name], message: 'expected ISO 3166 codes in capitals, or "other"' });
    }
  });

/** The shape of the option `limits`, with the defaults. @internal */
export const loginLimitsShape: z.ZodType<CheckedLimits> = strictOptions({
  cooldownSeconds: pausesOption([30, 60, 120, 300]),
  sendsPerPhone: wholeNumberOption(0, 1000).default(5),
  sendWindowSeconds: wholeNumberOption(1, 86_400).default(3600),
  sendsPerPhonePerDay: wholeNumberOption(0, 1000).default(10),
  sendsPerDevicePerDay: wholeNumberOption(0, 1000).default(10),
  sendsPerHour: wholeNumberOption(0, maxCeiling).optional(),
  sendsPerDay: wholeNumberOption(0, maxCeiling).optional(),
  costPerDay: amountOption(`expected a cost from 0 to ${maxCeiling}, such as 50`, maxCeiling).optional(),
  prices: pricesShape.optional(),
  attemptsPerTransaction: wholeNumberOption(1, 10).default(5),
  checkPauseSeconds: pausesOption([0, 0, 60, 120]),
  failuresPerPhone: wholeNumberOption(1, 100).default(100),
  failuresPerPhoneInTenMinutes: wholeNumberOption(1, 100).default(10),
  failuresPerAddressPerDay: wholeNumberOption(1, 100_000).default(100),
  mode: z
    .union(
      [
        modeShape,
        strictOptions({
          block: modeShape.exactOptional(),
          wide_block: modeShape.exactOptional(),
          address: modeShape.exactOptional(),
          network: modeShape.exactOptional(),
          country: modeShape.exactOptional(),
        }),
      ],
      'expected "enforce", "observe", or an object such as { block: "observe" }',
    )
    .optional(),
});

/** What a group of logins has in common. Someone who sends many codes for money needs many logins of one group. */
export type GroupKind =
  /** Numbers that differ in their last four digits only. */
  | "block"
  /** Numbers that differ in their last six digits only. */
  | "wide_block"
  /** Requests from one address: an IPv4 address, or a /64 of IPv6. */
  | "address"
  /** Requests from one network: a /24 of IPv4, or a /48 of IPv6. */
  | "network";

/** The kinds of groups, in the order in which they are compared. */
export const groupKinds: readonly GroupKind[] = ["block", "wide_block", "address", "network"];

/** The limits of one kind of group. `npm run simulate` shows what they let through, and whom they refuse. */
export interface GroupRule {
  /** The refusal of a login in a group that is closed. */
  readonly refusal: ErrorCode;
  /** The balance of unconfirmed logins that a group without a past may have. */
  readonly unconfirmed: number;
  /** The factor on `unconfirmed` while the country is on alert. */
  readonly onAlert: number;
  /** So many times the unconfirmed logins that are usual in such a group are no reason to close it. */
  readonly timesUsual?: number;
  /** The logins a day that a group without a past may complete: fraudulent carriers confirm codes themselves. */
  readonly confirmedPerDay?: number;
  /** The time for which the balance is remembered. */
  readonly ttlSeconds: number;
}

const daySeconds = 86_400;
/** Addresses change hands, so they are remembered for a day. */
const ofClients = { refusal: "client_limit_reached", ttlSeconds: daySeconds } as const;

/** The limits of groups. */
export const groupRules: Readonly<Record<GroupKind, GroupRule>> = {
  block: {
    refusal: "number_range_closed",
    unconfirmed: 6,
    onAlert: 1 / 3,
    confirmedPerDay: 12,
    ttlSeconds: 7 * daySeconds,
  },
  // A wide block holds many honest people. So an alert does not lower its limit, and an attack on the numbers of a whole
  // country closes none of them: there the blocks, addresses and networks refuse.
  wide_block: {
    refusal: "number_range_closed",
    unconfirmed: 20,
    onAlert: 1,
    timesUsual: 3,
    confirmedPerDay: 60,
    ttlSeconds: daySeconds,
  },
  address: { ...ofClients, unconfirmed: 20, onAlert: 1 / 4 },
  network: { ...ofClients, unconfirmed: 60, onAlert: 1 / 3 },
};

/** An alert begins beyond so many unconfirmed logins, and so many more for each login of a usual day. */
export const alertRules = {
  country: { unconfirmed: 20, perDailyLogin: 0.02 },
  app: { unconfirmed: 100, perDailyLogin: 0.02 },
} as const;

/*
 * A limit of wrong codes that closes a number is a weapon against its owner, so it is used only where nothing else helps. Where the app
 * owns the codes, they get longer instead: a code of ten digits is not guessed.
 */

/** The greatest number of digits that a code may have. */
export const maxCodeLength = 10;

/** The numbers of digits that follow after a part of `failuresPerPhone`: 8 after 20 wrong codes, 10 after 60. */
const longerCodes = [
  { digits: 8, afterPart: 0.2 },
  { digits: maxCodeLength, afterPart: 0.6 },
];

/** Returns the number of digits of a number's next codes, after so many wrong codes in a row. */
export function codeLengthAfter({ failuresPerPhone }: LoginLimits, failures: number, usualDigits: number): number {
  const reached = longerCodes.filter(({ afterPart }) => failures >= Math.ceil(failuresPerPhone * afterPart));
  return Math.max(usualDigits, ...reached.map(({ digits }) => digits));
}

/**
 * Returns how many wrong codes in a row a number may have while codes of so many digits are checked; `undefined` for the longest
 * codes, which are always checked. A login that began just before the codes became longer has all of its attempts.
 */
export function maxFailuresFor(limits: LoginLimits, codeLength: number): number | undefined {
  const longer = longerCodes.find(({ digits }) => digits > codeLength);
  return longer && Math.ceil(limits.failuresPerPhone * longer.afterPart) + limits.attemptsPerTransaction;
}
