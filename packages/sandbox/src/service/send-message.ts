import { newId } from "../new-id.ts";
import type { Application } from "../state/application.ts";
import type { Fate, Message } from "../state/message.ts";
import { behaviourOf, fateOf } from "./handset.ts";
import { instantOf } from "./instant.ts";
import { countSegments } from "./segments.ts";
import type { Service } from "./service.ts";

/** What a message is made of. */
export type Draft = Pick<Message, "requestId" | "verificationId" | "to" | "channel" | "sender" | "text" | "code">;

/**
 * Queues a message, which then takes its course on the clock of its application.
 *
 * @param fate - what becomes of it, when that is not the handset's to say.
 * @see "Message statuses" of the specification
 */
export function sendMessage(service: Service, application: Application, draft: Draft, fate?: Fate): Message {
  const { agenda, state } = service;
  const { id: applicationId, settings } = application;
  const message: Message = {
    ...draft,
    id: newId("msg"),
    applicationId,
    segments: draft.channel === "SMS" ? countSegments(draft.text) : 1,
    fate: fate ?? fateOf(behaviourOf(draft.to, application.behaviours), draft.channel),
    timeline: [{ status: "QUEUED", at: instantOf(agenda.now(applicationId)) }],
  };
  state.messages.put(message);
  planSent(service, message, settings.sentAfterMilliseconds);
  return message;
}

/** Plans the moment at which a message leaves. */
export function planSent({ agenda }: Service, { id, applicationId }: Message, delayMilliseconds: number): void {
  agenda.plan(applicationId, `sent:${id}`, delayMilliseconds, { kind: "message.sent", messageId: id });
}
