import { timingSafeEqual } from "node:crypto";
import { Refusal } from "../primitives/refusal.ts";
import { isoInstant } from "../primitives/time.ts";
import type { Application } from "../state/application.ts";
import type { ConfirmationOutcome, Verification } from "../state/verification.ts";
import type { Service } from "./service.ts";
import { conclude } from "./verification-status.ts";

/** Confirmations that the record of a verification keeps. */
const maxRecordedConfirmations = 100;

/**
 * Checks a code. A code is used up when it was right, when it has expired and after too many wrong codes. Reading and
 * counting happen in one synchronous run, so concurrent confirmations are evaluated one after another.
 *
 * A verification with `custom_otp` cannot be confirmed here. The outcome is `custom_otp`, and nothing is counted.
 *
 * @throws Refusal `verification.not_found`, also for a verification of another application
 * @see "Confirmation request and response" and "Errors" of the specification
 */
export function confirmVerification(
  service: Service,
  application: Application,
  id: string,
  otpCode: string,
): ConfirmationOutcome {
  const verification = service.state.verifications.get(id);
  if (verification?.applicationId !== application.id) {
    throw new Refusal("verification.not_found", "There is no such verification.");
  }
  const outcome = checkCode(service, application, verification, otpCode);
  recordConfirmation(service, verification, outcome);
  if (outcome === "approved") conclude(service, id, "APPROVED");
  if (outcome === "wrong" && verification.wrongCodes + 1 >= application.settings.maxConfirmationAttempts) {
    conclude(service, id, "FAILED");
  }
  return outcome;
}

function checkCode(
  { scheduler }: Service,
  { id, settings }: Application,
  { code, customOtp, expiresAtMilliseconds, status, wrongCodes }: Verification,
  otpCode: string,
): ConfirmationOutcome {
  if (customOtp) return "custom_otp";
  if (wrongCodes >= settings.maxConfirmationAttempts) return "exhausted";
  // Compares the instant as well, because the task that ends the verification may not have run yet.
  if (status !== "PENDING" || scheduler.now(id) >= expiresAtMilliseconds) return "expired";
  return equal(otpCode, code) ? "approved" : "wrong";
}

function recordConfirmation(
  { state, scheduler }: Service,
  verification: Verification,
  outcome: ConfirmationOutcome,
): void {
  const { applicationId, confirmations, wrongCodes } = verification;
  const confirmation = { at: isoInstant(scheduler.now(applicationId)), outcome };
  state.verifications.put({
    ...verification,
    wrongCodes: outcome === "wrong" ? wrongCodes + 1 : wrongCodes,
    confirmations: [...confirmations, confirmation].slice(0, maxRecordedConfirmations),
  });
}

function equal(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
