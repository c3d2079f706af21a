import { parse, SandboxError } from "../primitives/errors.ts";
import { phoneShape } from "../primitives/phone-number.ts";
import { findApplication, type Service } from "../service/service.ts";
import type { Change } from "../state/collection.ts";
import { isInInbox, lastStep, type Message, type MessageStatus } from "../state/message.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";
import { defaultTimeoutSeconds, waitForRecord, watchRecords } from "./wait-for-record.ts";

/** A message in the inbox. It is there as soon as it is queued, even when its channel fails later. */
export interface InboxMessage
  extends Pick<Message, "id" | "requestId" | "to" | "channel" | "text" | "segments" | "timeline">,
    Partial<Pick<Message, "verificationId" | "sender" | "code">> {
  /** The current status. */
  readonly status: MessageStatus;
  /** ISO instant on the application's clock. */
  readonly createdAt: string;
}

/** A selection of messages. */
export interface InboxFilter {
  /** E.164. Default: all recipients. */
  readonly to?: string | undefined;
}

/** The message to wait for. */
export interface InboxWaitOptions {
  /** E.164. */
  readonly to: string;
  /** The id of a message, deleted or not. Only later messages count. */
  readonly after?: string | undefined;
  /** Time limit on the wall clock. Default 4; 0 only checks the present messages. */
  readonly timeoutSeconds?: number | undefined;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** The messages of an application. */
export interface Inbox {
  /** Lists the messages, the oldest first. */
  list(filter?: InboxFilter): readonly InboxMessage[];
  /**
   * Returns the newest message to a number: immediately when there is one, otherwise as soon as one is queued.
   *
   * @throws SandboxError `message_missing` when none came in time; `message_unknown` when `after` is unknown; `closed` when
   * the sandbox was closed or the signal aborted meanwhile; `application_unknown` after the application was removed
   * @throws TypeError when `to` is not a phone number in international format
   */
  wait(options: InboxWaitOptions): Promise<InboxMessage>;
  /** Calls the watcher with each new message after it was queued. The returned function ends it. */
  watch(watcher: (message: InboxMessage) => void): () => void;
  /** Deletes a message from the inbox. The service still processes it. @throws SandboxError `message_unknown` */
  remove(id: string): void;
  /** Deletes messages from the inbox. The service still processes them. */
  clear(filter?: InboxFilter): void;
}

/** Creates the inbox of an application. */
export function createInbox(deps: SandboxDeps, applicationId: string): Inbox {
  const { messages } = deps.state;
  const listed = ({ to }: InboxFilter = {}) =>
    messages.list(applicationId).filter((message) => isInInbox(message) && (to === undefined || message.to === to));
  const remove = (message: Message) => messages.put({ ...message, deleted: true });

  return {
    list: (filter) => listed(filter).map(toInboxMessage),
    wait: (options) => waitForMessage(deps, applicationId, options),
    watch: (watcher) => watchRecords(messages, applicationId, ["added"], (message) => watcher(toInboxMessage(message))),
    remove(id) {
      const message = messages.get(id);
      if (message?.applicationId !== applicationId || !isInInbox(message)) {
        throw new SandboxError("message_unknown", "There is no such message.");
      }
      remove(message);
    },
    clear: (filter) => listed(filter).forEach(remove),
  };
}

async function waitForMessage(
  deps: SandboxDeps,
  applicationId: string,
  { to, after, timeoutSeconds = defaultTimeoutSeconds, signal }: InboxWaitOptions,
): Promise<InboxMessage> {
  parse("inbox.wait", phoneShape, to, "to");
  findApplication(deps, applicationId);
  const { state, closed } = deps;
  const newest = newestTo(deps, applicationId, to, after);
  if (newest) return toInboxMessage(newest);
  const matches = (message: Message, change: Change) =>
    change === "added" && message.applicationId === applicationId && message.to === to;
  const missing = () => missingMessage(state.messages.list(applicationId).filter(isInInbox).length);
  return toInboxMessage(await waitForRecord(state.messages, { matches, missing, timeoutSeconds, closed, signal }));
}

function newestTo(
  { state }: Service,
  applicationId: string,
  to: string,
  after: string | undefined,
): Message | undefined {
  if (after !== undefined && state.messages.get(after)?.applicationId !== applicationId) {
    throw new SandboxError("message_unknown", "`after` must be the id of a message of this application.");
  }
  const messages = state.messages.list(applicationId);
  const later = messages.slice(messages.findIndex(({ id }) => id === after) + 1);
  return later.findLast((message) => message.to === to && isInInbox(message));
}

function missingMessage(others: number): SandboxError {
  const hint =
    others === 0
      ? "The inbox is empty. Did the app send a message, and did it send it to this sandbox?"
      : `The inbox holds ${others} others.`;
  return new SandboxError("message_missing", `No message to this number came in time. ${hint}`);
}

function toInboxMessage(message: Message): InboxMessage {
  const { id, requestId, verificationId, to, channel, sender, text, code, segments, timeline } = message;
  const { status } = lastStep(message);
  const createdAt = timeline[0].at;
  return { id, requestId, verificationId, to, channel, sender, text, code, segments, status, createdAt, timeline };
}
