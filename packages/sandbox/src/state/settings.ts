import { z } from "zod";
import { type Changes, maxTimeoutMilliseconds } from "./record.ts";

/** The delays and limits of an application, where the specification leaves them open or states a default. */
export interface Settings {
  /** Delay from `QUEUED` to `SENT`. Default 50. */
  readonly sentAfterMilliseconds: number;
  /** Delay from `SENT` to `DELIVERED` or `FAILED`. Default 200. */
  readonly outcomeAfterMilliseconds: number;
  /** Delay from `SENT` to the outcome for a number with the behaviour `slow`. Default 45. */
  readonly slowOutcomeSeconds: number;
  /** Time that a verification waits for the outcome of a channel before it tries the next. Default 20. */
  readonly fallbackAfterSeconds: number;
  /** Digits of a code. Default 6. */
  readonly codeDigits: number;
  /** Lifetime of a code. Default 600. */
  readonly codeTtlSeconds: number;
  /** Wrong codes after which a verification is `FAILED`. Default 5. */
  readonly maxConfirmationAttempts: number;
  /** Recipients of one `POST /messages`. Default 10,000. */
  readonly maxRecipients: number;
  /** Length of a message text in UTF-16 units. Default 1,600. */
  readonly maxTextLength: number;
  /** Entries of `channels`. Default 5. */
  readonly maxChannels: number;
  /** Messages in the answer of `GET /messages`, which lists the newest. Default 1,000. */
  readonly maxListedMessages: number;
  /** Body of a request to the API. Default 1,048,576. */
  readonly maxBodyBytes: number;
  /** Time in which a webhook endpoint must answer, on the wall clock. Default 5,000. */
  readonly webhookTimeoutMilliseconds: number;
  /** Delays before the second and each later delivery attempt. Default 30, 120, 600, 3600. */
  readonly webhookRetryDelaysSeconds: readonly number[];
  /** Time of continuous failure after which an endpoint is disabled. Default 86,400. */
  readonly disableAfterSeconds: number;
  /** Accepted API requests per second of the application's clock; 0 means no limit. Default 0. */
  readonly requestsPerSecond: number;
  /** Countries (`US`) that prohibit sender IDs: messages there from a sender ID end `FAILED`. Default none. */
  readonly countriesWithoutSenderIds: readonly string[];
}

const milliseconds = z.int().min(0).max(maxTimeoutMilliseconds);
const seconds = z.int().min(0).max(2_000_000);
const limit = z.int().min(1);

/** The default of each setting, and its valid values. */
const settings: { readonly [Name in keyof Settings]: readonly [Settings[Name], z.ZodType<Settings[Name]>] } = {
  sentAfterMilliseconds: [50, milliseconds],
  outcomeAfterMilliseconds: [200, milliseconds],
  slowOutcomeSeconds: [45, seconds],
  fallbackAfterSeconds: [20, seconds],
  codeDigits: [6, z.int().min(4).max(10)],
  codeTtlSeconds: [600, seconds.min(1)],
  maxConfirmationAttempts: [5, limit],
  maxRecipients: [10_000, limit],
  maxTextLength: [1_600, limit],
  maxChannels: [5, limit],
  maxListedMessages: [1_000, limit],
  maxBodyBytes: [1_048_576, limit],
  webhookTimeoutMilliseconds: [5_000, milliseconds.min(1)],
  webhookRetryDelaysSeconds: [[30, 120, 600, 3_600], z.array(seconds).max(20)],
  disableAfterSeconds: [86_400, seconds.min(1)],
  requestsPerSecond: [0, z.int().min(0)],
  countriesWithoutSenderIds: [[], z.array(z.string().regex(/^[A-Z]{2}$/, "expected country codes such as US"))],
};
const rows = Object.entries(settings);

/** The settings of an application that was configured with none. */
export const defaultSettings: Settings = Object.fromEntries(
  rows.map(([name, [value]]) => [name, value]),
) as unknown as Settings;

/**
 * The shape of changes to {@link Settings}.
 *
 * @internal
 */
export const settingsShape: z.ZodType<Changes<Settings>> = z
  .strictObject(Object.fromEntries(rows.map(([name, [, shape]]) => [name, shape])))
  .partial();
