import { newId } from "../new-id.ts";
import { Refusal } from "../refusal.ts";
import type { Application } from "../state/application.ts";
import type { Message } from "../state/message.ts";
import { messageEvent } from "../wire/events.ts";
import type { MessageRequest } from "../wire/requests.ts";
import { sendMessage } from "./send-message.ts";
import type { Service } from "./service.ts";

/** An accepted request and the messages it made, one per recipient and channel entry. */
export interface AcceptedMessages {
  readonly requestId: string;
  readonly messages: readonly Message[];
}

/**
 * Accepts a message request: every message is queued, and goes its way after the answer.
 *
 * @throws Refusal `message.sender_not_registered`; nothing is sent then.
 * @see "POST /messages" and "Sender rules" of the specification
 */
export function acceptMessages(service: Service, application: Application, request: MessageRequest): AcceptedMessages {
  requireRegisteredSenders(application, request);
  const requestId = newId("req");
  service.state.requests.put({ id: requestId, applicationId: application.id, callbackUrl: request.callback_url });

  const publish = (message: Message) => service.publish(messageEvent(message));
  const messages = request.recipients.flatMap((to) =>
    request.channels.map(({ channel, sender, content: { text } }) => {
      const draft = { applicationId: application.id, requestId, verificationId: undefined, code: undefined };
      return sendMessage(service, { ...draft, to, channel, sender, text }, publish);
    }),
  );
  return { requestId, messages };
}

/** Lists the newest messages of `POST /messages`, the newest first; those of verifications are not among them. */
export function listMessages({ state, settings }: Service, application: Application): readonly Message[] {
  return state.messages
    .list()
    .filter(({ applicationId, verificationId }) => applicationId === application.id && verificationId === undefined)
    .slice(-settings.listLimit)
    .reverse();
}

function requireRegisteredSenders({ senders }: Application, { channels }: MessageRequest): void {
  const index = channels.findIndex(({ sender }) => !senders.includes(sender));
  if (index === -1) return;
  const field = `channels[${index}].sender`;
  throw new Refusal("message.sender_not_registered", "This sender is not registered on the account.", field);
}
