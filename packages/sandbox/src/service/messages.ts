import { parseE164 } from "@doorcode/core";
import { Refusal } from "../primitives/errors.ts";
import type { Application } from "../state/application.ts";
import type { Message, PlannedOutcome } from "../state/message.ts";
import { isoInstant, newId } from "../state/record.ts";
import type { MessageRequest } from "../wire/requests.ts";
import { readOriginBound } from "./origin-bound.ts";
import { countSegments } from "./segments.ts";
import { accountOf, type Service } from "./service.ts";
import { behaviourOf, plannedOutcomeOf } from "./simulated-phone.ts";

interface AcceptedMessages {
  readonly requestId: string;
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

type MessageDraft = Pick<
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

/** Lists the newest messages of `POST /messages`, the newest first. Messages of verifications are not listed. */
export function listMessages({ state }: Service, { id, settings }: Application): readonly Message[] {
  const messages = state.messages.list(id).filter(({ verificationId }) => verificationId === undefined);
  return messages.slice(-settings.maxListedMessages).reverse();
}

type SenderKind = "unregistered" | "sender_id" | "rented_number";

/**
 * Returns the kind of a sender: a sender ID that is registered on the account, or a number with SMS that is rented for
 * this application.
 *
 * @see "Sender rules" of the specification
 */
function senderKind(service: Service, application: Application, sender: string): SenderKind {
  const { senders, numbers } = accountOf(service);
  if (senders.some(({ name }) => name === sender)) return "sender_id";
  const rented = numbers.find(({ phone }) => phone === sender);
  const canSend = rented?.applicationId === application.id && rented.capabilities.includes("SMS");
  return canSend ? "rented_number" : "unregistered";
}

function prohibitsSenderIds({ settings }: Application, recipient: string): boolean {
  const { countriesWithoutSenderIds: countries } = settings;
  if (countries.length === 0) return false;
  const country = parseE164(recipient)?.country;
  return country !== undefined && countries.includes(country);
}
