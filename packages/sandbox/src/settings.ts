import { z } from "zod";

/** What the specification leaves open, plus its own limits: all settings, each with a stated default. */
export interface Settings {
  /** From `QUEUED` to `SENT`. Default 50. */
  readonly sentAfterMilliseconds: number;
  /** From `SENT` to `DELIVERED` or `FAILED`. Default 200. */
  readonly outcomeAfterMilliseconds: number;
  /** How long a verification waits for a channel's outcome before it tries the next. Default 20. */
  readonly fallbackAfterSeconds: number;
  /** Digits of a code. Default 6. */
  readonly codeDigits: number;
  /** How long a code can be confirmed. Default 600. */
  readonly codeTtlSeconds: number;
  /** Wrong codes that are evaluated before a verification is over. Default 5. */
  readonly confirmationAttempts: number;
  /** Recipients of one `POST /messages`. Default 10,000. */
  readonly recipientsLimit: number;
  /** Length of a message text in UTF-16 units. Default 1,600. */
  readonly textLimit: number;
  /** Entries of `channels`. Default 5. */
  readonly channelsLimit: number;
  /** Records that `GET /messages` answers, the newest. Default 1,000. */
  readonly listLimit: number;
  /** Body of a request to the API. Default 1,048,576. */
  readonly bodyLimitBytes: number;
  /** How long a webhook endpoint may take to answer, on the wall clock. Default 5,000. */
  readonly webhookLimitMilliseconds: number;
  /** Delays before the second and every later delivery attempt. Default 30, 120, 600, 3600. */
  readonly webhookRetryDelaysSeconds: readonly number[];
  /** Delivery attempts under way at the same time. Default 32. */
  readonly webhookConcurrency: number;
}

const duration = z
  .int()
  .min(0)
  .max(2 ** 31 - 1);
const seconds = z.int().min(0).max(2_000_000);
const limit = z.int().min(1);

/** The shape of {@link Settings}, with the default of each. */
export const settingsShape: z.ZodType<Settings, object> = z.strictObject({
  sentAfterMilliseconds: duration.default(50),
  outcomeAfterMilliseconds: duration.default(200),
  fallbackAfterSeconds: seconds.default(20),
  codeDigits: z.int().min(4).max(10).default(6),
  codeTtlSeconds: seconds.min(1).default(600),
  confirmationAttempts: limit.default(5),
  recipientsLimit: limit.default(10_000),
  textLimit: limit.default(1_600),
  channelsLimit: limit.default(5),
  listLimit: limit.default(1_000),
  bodyLimitBytes: limit.default(1_048_576),
  webhookLimitMilliseconds: duration.min(1).default(5_000),
  webhookRetryDelaysSeconds: z.array(seconds).default([30, 120, 600, 3600]),
  webhookConcurrency: limit.default(32),
});
