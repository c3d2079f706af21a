import { lastStep, type Message, type MessageStatus } from "../state/message.ts";
import type { ScheduledTask } from "../state/schedule.ts";
import { messageEvent } from "../wire/events.ts";
import { scheduleSent } from "./messages.ts";
import { findApplication, nextInstant, type Service } from "./service.ts";
import { conclude, fallBack, reportChannelAttempt, timeOutChannel } from "./verifications.ts";

/** Marks a queued message as sent and schedules its outcome. In a dialect of five statuses it is `BUFFERED` first. */
function markSent(service: Service, messageId: string): void {
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

function applyOutcome(service: Service, messageId: string): void {
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

/**
 * Runs a scheduled task. It has no effect when its message, verification or delivery has ended meanwhile.
 *
 * @param attemptDelivery - makes the next attempt of a delivery.
 */
export function runTask(
  service: Service,
  { task }: ScheduledTask,
  attemptDelivery: (deliveryId: string) => void,
): void {
  switch (task.kind) {
    case "message.sent":
      markSent(service, task.messageId);
      break;
    case "message.outcome":
      applyOutcome(service, task.messageId);
      break;
    case "channel.timeout":
      timeOutChannel(service, task.verificationId, task.messageId);
      break;
    case "verification.expiry":
      conclude(service, task.verificationId, "EXPIRED");
      break;
    case "delivery.attempt":
      attemptDelivery(task.deliveryId);
      break;
  }
}
