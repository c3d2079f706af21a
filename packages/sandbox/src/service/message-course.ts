import { lastStep, type Message, type MessageStatus } from "../state/message.ts";
import { messageEvent } from "../wire/events.ts";
import { instantAfter } from "./instant.ts";
import { planSent } from "./send-message.ts";
import { applicationOf, type Service } from "./service.ts";
import { leaveChannel } from "./try-next-channel.ts";
import { reportChannel } from "./verification-progress.ts";

/** Lets a queued message leave. In a dialect of five statuses it is `BUFFERED` first. */
export function leave(service: Service, messageId: string): void {
  const message = service.state.messages.get(messageId);
  if (!message) return;
  const { settings, dialect } = applicationOf(service, message);
  if (dialect.messageStatuses === "five" && lastStep(message).status === "QUEUED") {
    changeStatus(service, message, "BUFFERED");
    planSent(service, message, settings.sentAfterMilliseconds);
    return;
  }
  changeStatus(service, message, "SENT");
  if (message.fate.outcome === undefined) return;
  const delay = message.fate.slow ? settings.slowOutcomeSeconds * 1000 : settings.outcomeAfterMilliseconds;
  service.agenda.plan(message.applicationId, `outcome:${messageId}`, delay, { kind: "message.outcome", messageId });
}

/** Ends the course of a message with its outcome. */
export function arrive(service: Service, messageId: string): void {
  const message = service.state.messages.get(messageId);
  if (message?.fate.outcome) changeStatus(service, message, message.fate.outcome);
}

function changeStatus(service: Service, message: Message, status: MessageStatus): void {
  const application = applicationOf(service, message);
  const step = { status, at: instantAfter(service, application, lastStep(message).at) };
  const changed: Message = { ...message, timeline: [...message.timeline, step] };
  service.state.messages.put(changed);
  if (message.verificationId === undefined) {
    service.publish(messageEvent(application, changed));
    return;
  }
  reportChannel(service, message.verificationId, changed);
  if (status === "FAILED") leaveChannel(service, message.verificationId, message.id);
}
