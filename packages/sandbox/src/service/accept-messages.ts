import { newId } from "../new-id.ts";
import { Refusal } from "../refusal.ts";
import type { Application } from "../state/application.ts";
import type { Fate, Message } from "../state/message.ts";
import type { MessageRequest } from "../wire/requests.ts";
import { sendMessage } from "./send-message.ts";
import { prohibitsSenderIds, type SenderKind, senderKind } from "./sender.ts";
import type { Service } from "./service.ts";

/** An accepted request and the messages it made, one per recipient and channel entry. */
export interface AcceptedMessages {
  readonly requestId: string;
  readonly messages: readonly Message[];
}

/** What becomes of a message that its sender may not send. */
const failing: Fate = { outcome: "FAILED", slow: false };

/**
 * Accepts a message request: every message is queued, and goes its way after the answer.
 *
 * @throws Refusal `message.sender_not_registered`, unless the dialect lets such messages fail later; nothing is sent then.
 * @see "POST /messages" and "Sender rules" of the specification
 */
export function acceptMessages(service: Service, application: Application, request: MessageRequest): AcceptedMessages {
  const kinds = request.channels.map(({ sender }) => senderKind(service, application, sender));
  requireRegisteredSenders(application, kinds);
  const requestId = newId("req");
  const applicationId = application.id;
  service.state.requests.put({ id: requestId, applicationId, callbackUrl: request.callback_url });

  const messages = request.recipients.flatMap((to) =>
    request.channels.map(({ channel, sender, content: { text } }, index) => {
      const draft = { requestId, verificationId: undefined, code: undefined, to, channel, sender, text };
      return sendMessage(service, application, draft, fateOfSender(application, kinds[index], to));
    }),
  );
  return { requestId, messages };
}

/** Lists the newest messages of `POST /messages`, the newest first; those of verifications are not among them. */
export function listMessages({ state }: Service, { id, settings }: Application): readonly Message[] {
  const listed: Message[] = [];
  for (const message of state.messages.newestFirst(id)) {
    if (listed.length === settings.listLimit) break;
    if (message.verificationId === undefined) listed.push(message);
  }
  return listed;
}

function requireRegisteredSenders({ dialect }: Application, kinds: readonly SenderKind[]): void {
  const index = kinds.indexOf("unregistered");
  if (index === -1 || dialect.unregisteredSender === "fails") return;
  const field = `channels[${index}].sender`;
  throw new Refusal("message.sender_not_registered", "This sender is not registered on the account.", field);
}

/** Undefined: the handset decides. */
function fateOfSender(application: Application, kind: SenderKind | undefined, to: string): Fate | undefined {
  if (kind === "unregistered") return failing;
  return kind === "sender_id" && prohibitsSenderIds(application, to) ? failing : undefined;
}
