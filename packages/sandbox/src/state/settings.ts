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

/** The settings of an application that was configured with none. */
export const defaultSettings: Settings = {
  sentAfterMilliseconds: 50,
  outcomeAfterMilliseconds: 200,
  slowOutcomeSeconds: 45,
  fallbackAfterSeconds: 20,
  codeDigits: 6,
  codeTtlSeconds: 600,
  maxConfirmationAttempts: 5,
  maxRecipients: 10_000,
  maxTextLength: 1_600,
  maxChannels: 5,
  maxListedMessages: 1_000,
  maxBodyBytes: 1_048_576,
  webhookTimeoutMilliseconds: 5_000,
  webhookRetryDelaysSeconds: [30, 120, 600, 3_600],
  disableAfterSeconds: 86_400,
  requestsPerSecond: 0,
  countriesWithoutSenderIds: [],
};

/**
 * The shape of changes to {@link Settings}.
 *
 * @internal
 */
export const settingsShape: z.ZodType<Changes<Settings>> = z
  .strictObject({
    sentAfterMilliseconds: milliseconds,
    outcomeAfterMilliseconds: milliseconds,
    slowOutcomeSeconds: seconds,
    fallbackAfterSeconds: seconds,
    codeDigits: z.int().min(4).max(10),
    codeTtlSeconds: seconds.min(1),
    maxConfirmationAttempts: limit,
    maxRecipients: limit,
    maxTextLength: limit,
    maxChannels: limit,
    maxListedMessages: limit,
    maxBodyBytes: limit,
    webhookTimeoutMilliseconds: milliseconds.min(1),
    webhookRetryDelaysSeconds: z.array(seconds).max(20),
    disableAfterSeconds: seconds.min(1),
    requestsPerSecond: z.int().min(0),
    countriesWithoutSenderIds: z.array(z.string().regex(/^[A-Z]{2}$/, "expected country codes such as US")),
  })
  .partial();
