import type { Message } from "../state/message.ts";
import type { Verification, VerificationStatus } from "../state/verification.ts";
import { verificationEvent } from "../wire/events.ts";
import { instantAfter } from "./instant.ts";
import { applicationOf, type Service } from "./service.ts";

/**
 * Ends a verification that is still pending, and tells it with `verification.update`. One that has ended stays as it is:
 * `APPROVED`, `EXPIRED` and `FAILED` are final.
 *
 * @see "Verification" of the specification
 */
export function conclude(service: Service, id: string, status: Exclude<VerificationStatus, "PENDING">): void {
  const verification = service.state.verifications.get(id);
  if (verification?.status !== "PENDING") return;
  service.agenda.takeBack(`expiry:${id}`);
  const touched = touch(service, { ...verification, status });
  service.state.verifications.put({ ...touched, concludedAt: touched.updatedAt });
  service.publish(verificationEvent(applicationOf(service, touched), touched));
}

/** Tells with `verification.update` how the delivery of the code over one channel stands. */
export function reportChannel(service: Service, id: string, attempt: Message): void {
  const verification = service.state.verifications.get(id);
  if (!verification) return;
  const touched = touch(service, verification);
  service.publish(verificationEvent(applicationOf(service, touched), touched, attempt));
}

function touch(service: Service, verification: Verification): Verification {
  const updatedAt = instantAfter(service, applicationOf(service, verification), verification.updatedAt);
  const touched = { ...verification, updatedAt };
  service.state.verifications.put(touched);
  return touched;
}
