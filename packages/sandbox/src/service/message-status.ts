import { lastStep, type Message, type MessageStatus } from "../state/message.ts";
import { messageEvent } from "../wire/events.ts";
import { nextInstant } from "./event-instant.ts";
import { scheduleSent } from "./send-message.ts";
import { findApplication, type Service } from "./service.ts";
import { fallBack } from "./try-next-channel.ts";
import { reportChannelAttempt } from "./verification-status.ts";

/** Marks a queued message as sent and schedules its outcome. In a dialect of five statuses it is `BUFFERED` first. */
export function markSent(service: Service, messageId: string): void {
  const message = service.state.messages.get(messageId);
  if (!message) return;
  const { settings, dialect } = findApplication(service, message.applicationId);
  if (dialect.messageStatuses === "five" && lastStep(message).status === "QUEUED") {
    changeStatus(service, message, "BUFFERED");
    scheduleSent(service, message, settings.sentAfterMilliseconds);
    return;
  }
  changeStatus(service, message, "SENT");
  const { status, slow } = message.plannedOutcome;
  if (status === undefined) return;
  const delay = slow ? settings.slowOutcomeSeconds * 1000 : settings.outcomeAfterMilliseconds;
  const task = { kind: "message.outcome", messageId } as const;
  service.scheduler.schedule(message.applicationId, `outcome:${messageId}`, delay, task);
}

/** Gives a message its planned outcome. */
export function applyOutcome(service: Service, messageId: string): void {
  const message = service.state.messages.get(messageId);
  if (message?.plannedOutcome.status) changeStatus(service, message, message.plannedOutcome.status);
}

function changeStatus(service: Service, message: Message, status: MessageStatus): void {
  const application = findApplication(service, message.applicationId);
  const step = { status, at: nextInstant(service, application, lastStep(message).at) };
  const changed: Message = { ...message, timeline: [...message.timeline, step] };
  service.state.messages.put(changed);
  if (message.verificationId === undefined) {
    service.publish(messageEvent(application, changed));
    return;
  }
  reportChannelAttempt(service, message.verificationId, changed);
  if (status === "FAILED") fallBack(service, message.verificationId, message.id);
}
