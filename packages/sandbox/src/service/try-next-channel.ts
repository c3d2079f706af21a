import { lastStep, type Message } from "../state/message.ts";
import { sendMessage } from "./send-message.ts";
import type { Service } from "./service.ts";
import { conclude, reportChannel } from "./verification-progress.ts";

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

  const draft = { applicationId, requestId, verificationId: id, to, channel, sender: undefined, text, code };
  const message = sendMessage(service, draft, (changed) => {
    reportChannel(service, id, changed);
    if (lastStep(changed).status === "FAILED") leaveChannel(service, id, changed.id);
  });
  service.state.verifications.put({ ...verification, messageIds: [...messageIds, message.id] });
  limitChannel(service, id, message);
}

function failUnlessUndecided(service: Service, id: string, messageIds: readonly string[]): void {
  const messages = messageIds.map((messageId) => service.state.messages.get(messageId));
  if (messages.every((message) => message && lastStep(message).status === "FAILED")) conclude(service, id, "FAILED");
}

function limitChannel(service: Service, id: string, message: Message): void {
  service.agenda.after(service.settings.fallbackAfterSeconds * 1000, () => {
    const { status } = lastStep(service.state.messages.get(message.id) ?? message);
    if (status !== "DELIVERED") leaveChannel(service, id, message.id);
  });
}

/** Moves on, once per channel: a failure that comes after the time-out finds the next channel being tried already. */
function leaveChannel(service: Service, id: string, messageId: string): void {
  if (service.state.verifications.get(id)?.messageIds.at(-1) === messageId) tryNextChannel(service, id);
}
