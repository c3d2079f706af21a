import { z } from "zod";
import type { Changes } from "./changes.ts";

/**
 * What the specification leaves open, plus its own limits: the product configuration of an application, each setting with a
 * stated default.
 */
export interface Settings {
  /** From `QUEUED` to `SENT`. Default 50. */
  readonly sentAfterMilliseconds: number;
  /** From `SENT` to `DELIVERED` or `FAILED`. Default 200. */
  readonly outcomeAfterMilliseconds: number;
  /** From `SENT` to the outcome for a slow number. Default 45. */
  readonly slowOutcomeSeconds: number;
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
  /** Continuous failure after which an endpoint is disabled. Default 86,400. */
  readonly disableAfterSeconds: number;
  /** Requests to the API that are taken in a second of the application's clock, which begins with the first; 0 takes all. Default 0. */
  readonly requestsPerSecond: number;
  /** Countries (`US`) in which an alphanumeric sender ID is prohibited: messages from one end `FAILED`. Default none. */
  readonly countriesWithoutSenderIds: readonly string[];
}

const duration = z
  .int()
  .min(0)
  .max(2 ** 31 - 1);
const seconds = z.int().min(0).max(2_000_000);
const limit = z.int().min(1);

/** What an application has unless it is told otherwise. */
export const defaultSettings: Settings = {
  sentAfterMilliseconds: 50,
  outcomeAfterMilliseconds: 200,
  slowOutcomeSeconds: 45,
  fallbackAfterSeconds: 20,
  codeDigits: 6,
  codeTtlSeconds: 600,
  confirmationAttempts: 5,
  recipientsLimit: 10_000,
  textLimit: 1_600,
  channelsLimit: 5,
  listLimit: 1_000,
  bodyLimitBytes: 1_048_576,
  webhookLimitMilliseconds: 5_000,
  webhookRetryDelaysSeconds: [30, 120, 600, 3_600],
  disableAfterSeconds: 86_400,
  requestsPerSecond: 0,
  countriesWithoutSenderIds: [],
};

/** The shape of changes to {@link Settings}. */
export const settingsShape: z.ZodType<Changes<Settings>> = z
  .strictObject({
    sentAfterMilliseconds: duration,
    outcomeAfterMilliseconds: duration,
    slowOutcomeSeconds: seconds,
    fallbackAfterSeconds: seconds,
    codeDigits: z.int().min(4).max(10),
    codeTtlSeconds: seconds.min(1),
    confirmationAttempts: limit,
    recipientsLimit: limit,
    textLimit: limit,
    channelsLimit: limit,
    listLimit: limit,
    bodyLimitBytes: limit,
    webhookLimitMilliseconds: duration.min(1),
    webhookRetryDelaysSeconds: z.array(seconds).max(20),
    disableAfterSeconds: seconds.min(1),
    requestsPerSecond: z.int().min(0),
    countriesWithoutSenderIds: z.array(z.string().regex(/^[A-Z]{2}$/, "expected countries such as US")),
  })
  .partial();
