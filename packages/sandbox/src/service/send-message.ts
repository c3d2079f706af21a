import { newId } from "../primitives/new-id.ts";
import { isoInstant } from "../primitives/time.ts";
import type { Application } from "../state/application.ts";
import type { Message, PlannedOutcome } from "../state/message.ts";
import { countSegments } from "./segments.ts";
import type { Service } from "./service.ts";
import { behaviourOf, plannedOutcomeOf } from "./simulated-phone.ts";

/** The content and the addressing of a message to send. */
export type MessageDraft = Pick<
  Message,
  "requestId" | "callbackUrl" | "verificationId" | "to" | "channel" | "sender" | "text" | "code"
>;

/**
 * Queues a message. Its later statuses follow on the clock of its application.
 *
 * @param plannedOutcome - outcome of the message. By default the simulated phone decides.
 * @see "Message statuses" of the specification
 */
export function sendMessage(
  service: Service,
  application: Application,
  draft: MessageDraft,
  plannedOutcome?: PlannedOutcome,
): Message {
  const { scheduler, state } = service;
  const { id: applicationId, settings, behaviours } = application;
  const message: Message = {
    ...draft,
    id: newId("msg"),
    applicationId,
    segments: draft.channel === "SMS" ? countSegments(draft.text) : 1,
    plannedOutcome: plannedOutcome ?? plannedOutcomeOf(behaviourOf(draft.to, behaviours), draft.channel),
    timeline: [{ status: "QUEUED", at: isoInstant(scheduler.now(applicationId)) }],
  };
  state.messages.put(message);
  scheduleSent(service, message, settings.sentAfterMilliseconds);
  return message;
}

/** Schedules the instant at which a queued message is sent. */
export function scheduleSent({ scheduler }: Service, { id, applicationId }: Message, delayMilliseconds: number): void {
  scheduler.schedule(applicationId, `sent:${id}`, delayMilliseconds, { kind: "message.sent", messageId: id });
}
