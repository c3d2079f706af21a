import { newId } from "../primitives/new-id.ts";
import { Refusal } from "../primitives/refusal.ts";
import type { Application } from "../state/application.ts";
import type { Message, PlannedOutcome } from "../state/message.ts";
import type { MessageRequest } from "../wire/requests.ts";
import { readOriginBound } from "./origin-bound.ts";
import { sendMessage } from "./send-message.ts";
import { prohibitsSenderIds, type SenderKind, senderKind } from "./sender-rules.ts";
import type { Service } from "./service.ts";

/** An accepted request and its messages. */
export interface AcceptedMessages {
  /** The `request_id`. */
  readonly requestId: string;
  /** One message for each recipient and channel entry. */
  readonly messages: readonly Message[];
}

/** The outcome of a message from a sender that is not allowed. */
const failed: PlannedOutcome = { status: "FAILED", slow: false };

/**
 * Accepts a message request: all of its messages are queued, and are sent after the answer.
 *
 * @throws Refusal `message.sender_not_registered`, and nothing is sent. In the dialect `unregisteredSender: "fails"` the
 * messages are accepted and fail later.
 * @see "POST /messages" and "Sender rules" of the specification
 */
export function acceptMessages(service: Service, application: Application, request: MessageRequest): AcceptedMessages {
  const kinds = request.channels.map(({ sender }) => senderKind(service, application, sender));
  requireRegisteredSenders(application, kinds);
  const requestId = newId("req");
  const { callback_url: callbackUrl } = request;

  const messages = request.recipients.flatMap((to) =>
    request.channels.map(({ channel, sender, content: { text } }, index) => {
      const code = readOriginBound(text)?.bound?.code;
      const draft = { requestId, callbackUrl, verificationId: undefined, code, to, channel, sender, text };
      return sendMessage(service, application, draft, outcomeOfSender(application, kinds[index], to));
    }),
  );
  return { requestId, messages };
}

function requireRegisteredSenders({ dialect }: Application, kinds: readonly SenderKind[]): void {
  const index = kinds.indexOf("unregistered");
  if (index === -1 || dialect.unregisteredSender === "fails") return;
  const field = `channels[${index}].sender`;
  const text = "This sender is not registered on the account. Add it in the portal, or with the option senders.";
  throw new Refusal("message.sender_not_registered", text, field);
}

/** Returns undefined when the simulated phone decides. */
function outcomeOfSender(
  application: Application,
  kind: SenderKind | undefined,
  to: string,
): PlannedOutcome | undefined {
  if (kind === "unregistered") return failed;
  return kind === "sender_id" && prohibitsSenderIds(application, to) ? failed : undefined;
}
