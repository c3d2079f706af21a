import { lastStep } from "../state/message.ts";
import { sendMessage } from "./send-message.ts";
import { applicationOf, type Service } from "./service.ts";
import { conclude } from "./verification-progress.ts";

/**
 * Sends the code of a pending verification over its next channel, and over the one after when this fails or times out.
 *
 * When every channel has failed, so has the verification. A channel without an outcome may still deliver, so a
 * verification with one stays open, after its last channel too, until the code expires.
 *
 * @see "Verification" of the specification
 */
export function tryNextChannel(service: Service, id: string): void {
  const verification = service.state.verifications.get(id);
  if (verification?.status !== "PENDING") return;
  const { applicationId, requestId, recipient: to, text, code, channels, messageIds } = verification;
  const channel = channels[messageIds.length];
  if (channel === undefined) {
    failUnlessUndecided(service, id, messageIds);
    return;
  }

  const application = applicationOf(service, verification);
  const draft = { requestId, verificationId: id, to, channel, sender: undefined, text, code };
  const { id: messageId } = sendMessage(service, application, draft);
  service.state.verifications.put({ ...verification, messageIds: [...messageIds, messageId] });
  const limitMilliseconds = application.settings.fallbackAfterSeconds * 1000;
  const task = { kind: "channel.timeout", verificationId: id, messageId } as const;
  service.agenda.plan(applicationId, `timeout:${messageId}`, limitMilliseconds, task);
}

/** Moves on from a channel that brought no outcome in its time. */
export function timeOutChannel(service: Service, id: string, messageId: string): void {
  const message = service.state.messages.get(messageId);
  if (message && lastStep(message).status !== "DELIVERED") leaveChannel(service, id, messageId);
}

/** Moves on, once per channel: a failure that comes after the time-out finds the next channel being tried already. */
export function leaveChannel(service: Service, id: string, messageId: string): void {
  if (service.state.verifications.get(id)?.messageIds.at(-1) === messageId) tryNextChannel(service, id);
}

function failUnlessUndecided(service: Service, id: string, messageIds: readonly string[]): void {
  const messages = messageIds.map((messageId) => service.state.messages.get(messageId));
  if (messages.every((message) => message && lastStep(message).status === "FAILED")) conclude(service, id, "FAILED");
}
