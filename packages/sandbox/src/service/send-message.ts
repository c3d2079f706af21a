import { newId } from "../new-id.ts";
import { lastStep, type Message, type MessageStatus } from "../state/message.ts";
import { instantAfter, instantOf } from "./instant.ts";
import { countSegments } from "./segments.ts";
import type { Service } from "./service.ts";

/** What a message is made of. */
export type Draft = Pick<
  Message,
  "applicationId" | "requestId" | "verificationId" | "to" | "channel" | "sender" | "text" | "code"
>;

/**
 * Queues a message and lets it take its course on the clock: `QUEUED`, `SENT`, then what the handset makes of it.
 *
 * @param onChange - called with the message after each change of its status.
 * @see "Message statuses" of the specification
 */
export function sendMessage(service: Service, draft: Draft, onChange: (message: Message) => void): Message {
  const { agenda, clock, settings, state, fateOf } = service;
  const message: Message = {
    ...draft,
    id: newId("msg"),
    segments: draft.channel === "SMS" ? countSegments(draft.text) : 1,
    timeline: [{ status: "QUEUED", at: instantOf(clock.now()) }],
  };
  state.messages.put(message);

  const change = (status: MessageStatus) => onChange(changeStatus(service, message.id, status));
  agenda.after(settings.sentAfterMilliseconds, () => {
    change("SENT");
    const fate = fateOf(message.to, message.channel);
    if (fate === "silent") return;
    agenda.after(settings.outcomeAfterMilliseconds, () => change(fate === "failed" ? "FAILED" : "DELIVERED"));
  });
  return message;
}

function changeStatus({ state, clock }: Service, id: string, status: MessageStatus): Message {
  return state.messages.change(id, (message) => {
    const step = { status, at: instantAfter(clock.now(), lastStep(message).at) };
    return { ...message, timeline: [...message.timeline, step] };
  });
}
