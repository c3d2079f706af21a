import { randomInt } from "node:crypto";
import { newId } from "../new-id.ts";
import type { Application } from "../state/application.ts";
import type { Verification } from "../state/verification.ts";
import type { VerificationRequest } from "../wire/requests.ts";
import { instantOf } from "./instant.ts";
import type { Service } from "./service.ts";
import { renderTemplate } from "./template.ts";
import { tryNextChannel } from "./try-next-channel.ts";
import { conclude } from "./verification-progress.ts";

/**
 * Accepts a verification request: makes the code, unless the caller brought one, and sends it over the first channel.
 *
 * @throws Refusal `template.not_registered`; `request.invalid` for a missing variable; nothing is sent then.
 * @see "POST /verifications" of the specification
 */
export function startVerification(
  service: Service,
  application: Application,
  request: VerificationRequest,
): Verification {
  const { state, agenda, settings } = service;
  const verification = createVerification(service, application, request);
  const { id, applicationId, requestId } = verification;
  state.requests.put({ id: requestId, applicationId, callbackUrl: request.callback_url });
  state.verifications.put(verification);
  tryNextChannel(service, id);
  if (!verification.customOtp) {
    agenda.after(settings.codeTtlSeconds * 1000, () => conclude(service, id, "EXPIRED"));
  }
  return verification;
}

function createVerification(
  { clock, settings }: Service,
  application: Application,
  request: VerificationRequest,
): Verification {
  const code = request.custom_otp ?? randomCode(settings.codeDigits);
  const text = request.template ? renderTemplate(application, request.template, code) : code;
  const byPriority = request.channels.toSorted((left, right) => left.priority - right.priority);
  return {
    id: newId("ver"),
    applicationId: application.id,
    requestId: newId("req"),
    recipient: request.recipient,
    text,
    code,
    customOtp: request.custom_otp !== undefined,
    channels: byPriority.map(({ channel_name }) => channel_name),
    messageIds: [],
    status: "PENDING",
    wrongCodes: 0,
    expiresAtMilliseconds: clock.now() + settings.codeTtlSeconds * 1000,
    updatedAt: instantOf(clock.now()),
  };
}

function randomCode(digits: number): string {
  return String(randomInt(10 ** digits)).padStart(digits, "0");
}
