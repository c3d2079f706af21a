import { parsePhoneNumber } from "@doorcode/core";
import { Misuse } from "../misuse.ts";
import { findApplication } from "../portal/applications.ts";
import { SandboxError } from "../sandbox-error.ts";
import type { Service } from "../service/service.ts";
import type { Change } from "../state/collection.ts";
import {
  type Channel,
  isInInbox,
  lastStep,
  type Message,
  type MessageStatus,
  type MessageStep,
} from "../state/message.ts";
import type { State } from "../state/state.ts";
import { nextMatch } from "./next-match.ts";

/** A message as the inbox shows it. It is there as soon as it is queued, also when its channel is going to fail. */
export interface InboxMessage {
  readonly id: string;
  readonly requestId: string;
  /** Set when the message carries the code of a verification. */
  readonly verificationId?: string;
  readonly to: string;
  readonly channel: Channel;
  readonly sender?: string;
  readonly text: string;
  /** The code of a verification; a plain message has none. */
  readonly code?: string;
  /** Parts on the air for SMS, 1 on any other channel. */
  readonly segments: number;
  readonly status: MessageStatus;
  /** ISO instants, as all others, on the application's clock. */
  readonly createdAt: string;
  readonly timeline: readonly MessageStep[];
}

/** Which message to wait for. */
export interface WaitFor {
  /** E.164. */
  readonly to: string;
  /** Id of a message, deleted or not: only later ones count. */
  readonly after?: string | undefined;
  /** On the wall clock. Default 5; 0 only looks. */
  readonly timeoutSeconds?: number | undefined;
  /** Ends the wait early. */
  readonly signal?: AbortSignal | undefined;
}

/** The messages of an application. */
export interface Inbox {
  /** Lists messages in the order in which they were queued. */
  list(filter?: { readonly to?: string | undefined }): readonly InboxMessage[];
  /**
   * Answers the newest message to a number: at once when it is there, otherwise as soon as it comes.
   *
   * @throws SandboxError `message_missing` when none came in time; `message_unknown` when `after` names none; `closed`
   * when the sandbox closed, or the signal aborted, meanwhile; `application_unknown` once the application was removed
   * @throws TypeError when `to` is no phone number in international format
   */
  wait(what: WaitFor): Promise<InboxMessage>;
  /** Calls the watcher with each new message, right after it was queued. The function returned ends it. */
  watch(watcher: (message: InboxMessage) => void): () => void;
  /** Deletes a message; it takes its course all the same. @throws SandboxError `message_unknown` */
  remove(id: string): void;
  /** Deletes the messages to a number, or all; they take their course all the same. */
  clear(filter?: { readonly to?: string | undefined }): void;
}

/** Creates the inbox of an application over the state. `closed` ends every wait. */
export function createInbox(service: Service, applicationId: string, closed: AbortSignal): Inbox {
  const { state } = service;
  const messages = (to?: string) =>
    state.messages
      .list(applicationId)
      .filter((message) => isInInbox(message) && (to === undefined || message.to === to));
  const remove = (message: Message) => state.messages.put({ ...message, deleted: true });

  return {
    list: ({ to } = {}) => messages(to).map(inboxMessage),
    async wait({ to, after, timeoutSeconds = 5, signal }) {
      requirePhone(to);
      findApplication(service, applicationId);
      const found = newestTo(state, applicationId, to, after);
      if (found) return inboxMessage(found);
      const matches = (message: Message, change: Change) =>
        change === "added" && message.applicationId === applicationId && message.to === to;
      const missing = () => missingMessage(messages().length);
      const ends = signal ? AbortSignal.any([closed, signal]) : closed;
      return inboxMessage(await nextMatch(state.messages, { matches, missing, timeoutSeconds, ends }));
    },
    watch: (watcher) =>
      state.messages.watch((message, change) => {
        if (change !== "added" || message.applicationId !== applicationId) return;
        // After the act that made it: a watcher that throws, or resets the application, does not cut it in two.
        queueMicrotask(() => watcher(inboxMessage(message)));
      }),
    remove(id) {
      const message = state.messages.get(id);
      if (message?.applicationId !== applicationId || !isInInbox(message)) throw unknownMessage("No such message.");
      remove(message);
    },
    clear({ to } = {}) {
      messages(to).forEach(remove);
    },
  };
}

function requirePhone(to: unknown): void {
  if (typeof to === "string" && parsePhoneNumber(to)?.e164 === to) return;
  throw new Misuse("inbox.wait", "to", "expected a phone number in international format, such as +4915112345678");
}

function newestTo(state: State, applicationId: string, to: string, after: string | undefined): Message | undefined {
  if (after !== undefined && state.messages.get(after)?.applicationId !== applicationId) {
    throw unknownMessage("`after` must be the id of a message of this application.");
  }
  for (const message of state.messages.newestFirst(applicationId)) {
    if (message.id === after) return undefined;
    if (message.to === to && isInInbox(message)) return message;
  }
  return undefined;
}

function unknownMessage(sentence: string): SandboxError {
  return new SandboxError("message_unknown", sentence);
}

function missingMessage(others: number): SandboxError {
  const hint =
    others === 0 ? "The inbox is empty: did the app send, and to this sandbox?" : `The inbox holds ${others} others.`;
  return new SandboxError("message_missing", `No message to this number came in time. ${hint}`);
}

/** A message as the inbox shows it. */
function inboxMessage(message: Message): InboxMessage {
  const { id, requestId, verificationId, to, channel, sender, text, code, segments, timeline } = message;
  return {
    id,
    requestId,
    ...(verificationId !== undefined && { verificationId }),
    to,
    channel,
    ...(sender !== undefined && { sender }),
    text,
    ...(code !== undefined && { code }),
    segments,
    status: lastStep(message).status,
    createdAt: timeline[0].at,
    timeline,
  };
}
