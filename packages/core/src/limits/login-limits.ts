import { z } from "zod";
import { strictOptions, wholeNumberOption } from "../primitives/parse-options.ts";
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
   * Codes to one number within a day that a device which has proven the number may ask for. They are beside those of the
   * number, which strangers can use up. Default: 5.
   */
  readonly sendsPerDevicePerDay: number;
  /** Codes that may be tried in one login. Default: 5. */
  readonly attemptsPerTransaction: number;
  /** Wrong codes for one number in a row, over all logins. The number is closed then, for 400 days; `doorcode.limits.open` opens it. Default: 100. */
  readonly failuresPerPhone: number;
  /** Wrong codes for one number within ten minutes. Default: 10. */
  readonly failuresPerPhoneInTenMinutes: number;
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
const cooldownShape = wholeNumberOption(0, 3600);

/** The shape of the option `limits`, with the defaults. */
export const loginLimitsShape: z.ZodType<CheckedLimits> = strictOptions({
  cooldownSeconds: z
    .union([cooldownShape.transform((seconds) => [seconds]), z.array(cooldownShape).max(10)], {
      error: "expected seconds from 0 to 3600, or a list of at most ten, such as [30, 60, 120, 300]",
    })
    .default([30, 60, 120, 300]),
  sendsPerPhone: wholeNumberOption(0, 1000).default(5),
  sendWindowSeconds: wholeNumberOption(1, 86_400).default(3600),
  sendsPerPhonePerDay: wholeNumberOption(0, 1000).default(10),
  sendsPerDevicePerDay: wholeNumberOption(0, 1000).default(5),
  attemptsPerTransaction: wholeNumberOption(1, 10).default(5),
  failuresPerPhone: wholeNumberOption(1, 100).default(100),
  failuresPerPhoneInTenMinutes: wholeNumberOption(1, 100).default(10),
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
