import type { Message } from "../state/message.ts";
import type { Verification, VerificationStatus } from "../state/verification.ts";
import { verificationEvent } from "../wire/events.ts";
import { nextInstant } from "./event-instant.ts";
import { findApplication, type Service } from "./service.ts";

/**
 * Ends a pending verification and reports it with `verification.update`. A verification that has ended does not change:
 * `APPROVED`, `EXPIRED` and `FAILED` are final.
 *
 * @see "Verification" of the specification
 */
export function conclude(service: Service, id: string, status: Exclude<VerificationStatus, "PENDING">): void {
  const verification = service.state.verifications.get(id);
  if (verification?.status !== "PENDING") return;
  service.scheduler.cancel(`expiry:${id}`);
  const updatedAt = updateInstant(service, verification);
  reportVerification(service, { ...verification, status, updatedAt, concludedAt: updatedAt });
}

/** Reports with `verification.update` the status of a channel attempt. */
export function reportChannelAttempt(service: Service, id: string, channelAttempt: Message): void {
  const verification = service.state.verifications.get(id);
  if (!verification) return;
  const updatedAt = updateInstant(service, verification);
  reportVerification(service, { ...verification, updatedAt }, channelAttempt);
}

function updateInstant(service: Service, { applicationId, updatedAt }: Verification): string {
  return nextInstant(service, findApplication(service, applicationId), updatedAt);
}

function reportVerification(service: Service, verification: Verification, channelAttempt?: Message): void {
  service.state.verifications.put(verification);
  service.publish(
    verificationEvent(findApplication(service, verification.applicationId), verification, channelAttempt),
  );
}
