import { randomInt } from "node:crypto";
import { newId } from "../primitives/new-id.ts";
import { isoInstant } from "../primitives/time.ts";
import type { Application } from "../state/application.ts";
import type { Verification } from "../state/verification.ts";
import type { VerificationRequest } from "../wire/requests.ts";
import type { Service } from "./service.ts";
import { renderTemplate } from "./template.ts";
import { tryNextChannel } from "./try-next-channel.ts";

/**
 * Accepts a verification request: it generates the code, unless the caller supplied one, and sends it over the first
 * channel.
 *
 * @throws Refusal `template.not_registered`; `request.invalid` for a missing variable. Nothing is sent then.
 * @see "POST /verifications" of the specification
 */
export function startVerification(
  service: Service,
  application: Application,
  request: VerificationRequest,
): Verification {
  const { state, scheduler } = service;
  const verification = createVerification(service, application, request);
  const { id, applicationId, customOtp } = verification;
  state.verifications.put(verification);
  tryNextChannel(service, id);
  if (!customOtp) {
    const task = { kind: "verification.expiry", verificationId: id } as const;
    scheduler.schedule(applicationId, `expiry:${id}`, application.settings.codeTtlSeconds * 1000, task);
  }
  return verification;
}

function createVerification(
  { scheduler }: Service,
  application: Application,
  request: VerificationRequest,
): Verification {
  const { id: applicationId, settings, dialect } = application;
  const code = request.custom_otp ?? application.codes[request.recipient] ?? randomCode(settings.codeDigits);
  const text = request.template ? renderTemplate(application, request.template, code) : code;
  const byPriority = request.channels.toSorted((left, right) => left.priority - right.priority);
  const requestId = newId("req");
  const now = scheduler.now(applicationId);
  return {
    id: dialect.verificationId === "request_id" ? requestId : newId("ver"),
    applicationId,
    requestId,
    callbackUrl: request.callback_url,
    recipient: request.recipient,
    text,
    code,
    customOtp: request.custom_otp !== undefined,
    channels: byPriority.map(({ channel_name }) => channel_name),
    messageIds: [],
    status: "PENDING",
    wrongCodes: 0,
    confirmations: [],
    createdAt: isoInstant(now),
    expiresAtMilliseconds: now + settings.codeTtlSeconds * 1000,
    updatedAt: isoInstant(now),
    concludedAt: undefined,
  };
}

function randomCode(digits: number): string {
  return String(randomInt(10 ** digits)).padStart(digits, "0");
}
