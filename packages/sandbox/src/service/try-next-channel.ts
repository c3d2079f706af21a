import { lastStep } from "../state/message.ts";
import { sendMessage } from "./send-message.ts";
import { findApplication, type Service } from "./service.ts";
import { conclude } from "./verification-status.ts";

/**
 * Sends the code of a pending verification over its next channel. When that channel fails or times out, the channel after
 * it follows.
 *
 * When every channel has failed, the verification has failed. A channel without an outcome may still deliver, so a
 * verification with such a channel stays open until the code expires, even after its last channel.
 *
 * @see "Verification" of the specification
 */
export function tryNextChannel(service: Service, id: string): void {
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
