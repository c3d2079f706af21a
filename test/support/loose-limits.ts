import type { LoginOptions } from "@doorcode/core";

/** Limits that a test of something else never meets. */
export const looseLimits: NonNullable<LoginOptions["limits"]> = {
  cooldownSeconds: 0,
  sendsPerPhone: 100,
  sendsPerPhonePerDay: 100,
  failuresPerPhoneInTenMinutes: 100,
  checkPauseSeconds: 0,
};
