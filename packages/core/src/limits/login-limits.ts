import { z } from "zod";
import { isCountry } from "../phone/phone-number.ts";
import { strictOptions, wholeNumberOption } from "../util/parse-options.ts";
import type { GroupKind } from "./groups.ts";

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
  /**
   * Wrong codes from one address within a day; a right code outweighs two. Default: 100.
   */
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

/** Creates the shape of an amount of money. */
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

/**
 * The shape of the option `limits`, with the defaults.
 *
 * @internal
 */
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

/** Tells whether a limit refuses. */
export function isEnforced({ mode }: Pick<LoginLimits, "mode">, limit: ObservableLimit): boolean {
  return (typeof mode === "string" ? mode : (mode[limit] ?? "enforce")) === "enforce";
}
