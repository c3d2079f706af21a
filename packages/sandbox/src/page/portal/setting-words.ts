import type { Settings } from "../../settings.ts";

/** What a setting is, and its unit. */
export const settingWords: Readonly<Record<keyof Settings, string>> = {
  sentAfterMilliseconds: "QUEUED to SENT, ms",
  outcomeAfterMilliseconds: "SENT to the outcome, ms",
  slowOutcomeSeconds: "The same for slow numbers, s",
  fallbackAfterSeconds: "Next channel after, s",
  codeDigits: "Digits of a code",
  codeTtlSeconds: "A code is valid for, s",
  confirmationAttempts: "Wrong codes evaluated",
  recipientsLimit: "Recipients per request",
  textLimit: "Length of a text",
  channelsLimit: "Channel entries",
  listLimit: "Records of GET /messages",
  bodyLimitBytes: "Request body, bytes",
  webhookLimitMilliseconds: "An endpoint has, ms",
  webhookRetryDelaysSeconds: "Retry delays, s",
  disableAfterSeconds: "Endpoint disabled after, s",
  requestsPerSecond: "Requests per second (0: no limit)",
  countriesWithoutSenderIds: "Countries without sender IDs",
};
