import { randomInt } from "node:crypto";
import { Refusal } from "../primitives/errors.ts";
import { isSameSecret } from "../primitives/secrets.ts";
import type { Application } from "../state/application.ts";
import { lastStep, type Message } from "../state/message.ts";
import { isoInstant, newId } from "../state/record.ts";
import type { ConfirmationOutcome, Verification, VerificationStatus } from "../state/verification.ts";
import { verificationEvent } from "../wire/events.ts";
import type { VerificationRequest } from "../wire/requests.ts";
import { sendMessage } from "./messages.ts";
import { findApplication, nextInstant, type Service } from "./service.ts";
import { renderTemplate } from "./template.ts";

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
  const { codeDigits } = settings;
  const randomCode = String(randomInt(10 ** codeDigits)).padStart(codeDigits, "0");
  const code = request.custom_otp ?? application.codes[request.recipient] ?? randomCode;
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

/**
 * Sends the code of a pending verification over its next channel. When that channel fails or times out, the channel after
 * it follows.
 *
 * When every channel has failed, the verification has failed. A channel without an outcome may still deliver, so a
 * verification with such a channel stays open until the code expires, even after its last channel.
 *
 * @see "Verification" of the specification
 */
function tryNextChannel(service: Service, id: string): void {
  const verification = service.state.verifications.get(id);
  if (verification?.status !== "PENDING") return;
  const { applicationId, requestId, callbackUrl, recipient: to, text, code, channels, messageIds } = verification;
  const channel = channels[messageIds.length];
  if (channel === undefined) {
    failIfAllFailed(service, id, messageIds);
    return;
  }

  const application = findApplication(service, applicationId);
  const draft = { requestId, callbackUrl, verificationId: id, to, channel, sender: undefined, text, code };
  const { id: messageId } = sendMessage(service, application, draft);
  service.state.verifications.put({ ...verification, messageIds: [...messageIds, messageId] });
  const delayMilliseconds = application.settings.fallbackAfterSeconds * 1000;
  const task = { kind: "channel.timeout", verificationId: id, messageId } as const;
  service.scheduler.schedule(applicationId, `timeout:${messageId}`, delayMilliseconds, task);
}

/** Falls back from a channel that had no outcome in time. */
export function timeOutChannel(service: Service, id: string, messageId: string): void {
  const message = service.state.messages.get(messageId);
  if (message && lastStep(message).status !== "DELIVERED") fallBack(service, id, messageId);
}

/** Falls back from a channel to the next, once for each channel: a failure after the time-out has no effect. */
export function fallBack(service: Service, id: string, messageId: string): void {
  if (service.state.verifications.get(id)?.messageIds.at(-1) === messageId) tryNextChannel(service, id);
}

function failIfAllFailed(service: Service, id: string, messageIds: readonly string[]): void {
  const messages = messageIds.map((messageId) => service.state.messages.get(messageId));
  if (messages.every((message) => message && lastStep(message).status === "FAILED")) conclude(service, id, "FAILED");
}

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

/** Confirmations that the record of a verification keeps. */
const maxRecordedConfirmations = 100;

/**
 * Checks a code. A code is used up when it was right, when it has expired and after too many wrong codes. Reading and
 * counting happen in one synchronous run, so concurrent confirmations are evaluated one after another.
 *
 * A verification with `custom_otp` cannot be confirmed here. The outcome is `custom_otp`, and the number of wrong codes stays.
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
  return isSameSecret(otpCode, code) ? "approved" : "wrong";
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
