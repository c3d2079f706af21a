import { timingSafeEqual } from "node:crypto";
import { Refusal } from "../refusal.ts";
import type { Application } from "../state/application.ts";
import type { Verification } from "../state/verification.ts";
import type { Service } from "./service.ts";
import { conclude } from "./verification-progress.ts";

/** What became of a confirmation. */
export type ConfirmationOutcome = "approved" | "wrong" | "over" | "exhausted" | "custom_otp";

/**
 * Checks a code. It is used up by being right, by its end and by too many wrong ones; nothing is awaited between reading
 * and counting, so confirmations that race are evaluated one after another.
 *
 * A verification with `custom_otp` holds no code that could be confirmed: `custom_otp`, and nothing is counted.
 *
 * @throws Refusal `verification.not_found`, also for one of another application.
 * @see "Confirmation request and response" and "Errors" of the specification
 */
export function confirmVerification(
  service: Service,
  application: Application,
  id: string,
  otpCode: string,
): ConfirmationOutcome {
  const { state, clock, settings } = service;
  const verification = state.verifications.get(id);
  if (verification?.applicationId !== application.id) {
    throw new Refusal("verification.not_found", "No such verification.");
  }
  if (verification.customOtp) return "custom_otp";
  if (verification.wrongCodes >= settings.confirmationAttempts) return "exhausted";
  // The code's end counts even when the clock has not got round to telling it.
  if (verification.status !== "PENDING" || clock.now() >= verification.expiresAtMilliseconds) return "over";
  if (!equal(otpCode, verification.code)) return countWrongCode(service, verification);
  conclude(service, id, "APPROVED");
  return "approved";
}

function countWrongCode(service: Service, verification: Verification): ConfirmationOutcome {
  const wrongCodes = verification.wrongCodes + 1;
  service.state.verifications.put({ ...verification, wrongCodes });
  if (wrongCodes >= service.settings.confirmationAttempts) conclude(service, verification.id, "FAILED");
  return "wrong";
}

function equal(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
