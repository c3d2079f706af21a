import { timingSafeEqual } from "node:crypto";
import { Refusal } from "../refusal.ts";
import type { Application } from "../state/application.ts";
import type { ConfirmationOutcome, Verification } from "../state/verification.ts";
import { instantOf } from "./instant.ts";
import type { Service } from "./service.ts";
import { conclude } from "./verification-progress.ts";

/** Confirmations of one verification that are remembered. */
const remembered = 100;

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
  const verification = service.state.verifications.get(id);
  if (verification?.applicationId !== application.id) {
    throw new Refusal("verification.not_found", "No such verification.");
  }
  const outcome = judge(service, application, verification, otpCode);
  remember(service, verification, outcome);
  if (outcome === "approved") conclude(service, id, "APPROVED");
  if (outcome === "wrong" && verification.wrongCodes + 1 >= application.settings.confirmationAttempts) {
    conclude(service, id, "FAILED");
  }
  return outcome;
}

function judge(
  { agenda }: Service,
  { id, settings }: Application,
  { code, customOtp, expiresAtMilliseconds, status, wrongCodes }: Verification,
  otpCode: string,
): ConfirmationOutcome {
  if (customOtp) return "custom_otp";
  if (wrongCodes >= settings.confirmationAttempts) return "exhausted";
  // The code's end counts even when the clock has not got round to telling it.
  if (status !== "PENDING" || agenda.now(id) >= expiresAtMilliseconds) return "over";
  return equal(otpCode, code) ? "approved" : "wrong";
}

function remember({ state, agenda }: Service, verification: Verification, outcome: ConfirmationOutcome): void {
  const { applicationId, confirmations, wrongCodes } = verification;
  const at = instantOf(agenda.now(applicationId));
  state.verifications.put({
    ...verification,
    wrongCodes: outcome === "wrong" ? wrongCodes + 1 : wrongCodes,
    confirmations: confirmations.length < remembered ? [...confirmations, { at, outcome }] : confirmations,
  });
}

function equal(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
