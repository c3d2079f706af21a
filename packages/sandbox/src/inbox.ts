import { SandboxError } from "./sandbox-error.ts";
import { type Channel, lastStep, type Message, type MessageStatus, type MessageStep } from "./state/message.ts";
import type { State } from "./state/state.ts";

/** A message as the inbox shows it. It is there as soon as it is queued, also when its channel is going to fail. */
export interface InboxMessage {
  readonly id: string;
  readonly requestId: string;
  readonly to: string;
  readonly channel: Channel;
  readonly sender?: string;
  readonly text: string;
  /** The code of a verification; a plain message has none. */
  readonly code?: string;
  /** Parts on the air for SMS, 1 on any other channel. */
  readonly segments: number;
  readonly status: MessageStatus;
  /** ISO instants, as all others, on the sandbox's clock. */
  readonly createdAt: string;
  readonly timeline: readonly MessageStep[];
}

/** Which message to wait for. */
export interface WaitFor {
  readonly to: string;
  /** Id of a message: only later ones count. */
  readonly after?: string | undefined;
  /** On the wall clock. Default 5; 0 only looks. */
  readonly timeoutSeconds?: number | undefined;
  /** Ends the wait early. */
  readonly signal?: AbortSignal;
}

/** The messages of an application. */
export interface Inbox {
  /** Lists messages in the order in which they were queued. */
  list(filter?: { readonly to?: string | undefined }): readonly InboxMessage[];
  /**
   * Answers the newest message to a number: at once when it is there, otherwise as soon as it comes.
   *
   * @throws SandboxError `message_missing` when none came in time; `message_unknown` when `after` names none; `closed`
   * when the sandbox closed, or the signal aborted, meanwhile
   */
  wait(what: WaitFor): Promise<InboxMessage>;
}

/** Creates the inbox of an application over the state. `closed` ends every wait. */
export function createInbox(state: State, applicationId: string, closed: AbortSignal): Inbox {
  const messages = () => state.messages.list().filter((message) => message.applicationId === applicationId);
  return {
    list: ({ to } = {}) => {
      const all = messages();
      return (to === undefined ? all : all.filter((message) => message.to === to)).map(inboxMessage);
    },
    async wait({ to, after, timeoutSeconds = 5, signal }) {
      const found = laterThan(messages(), after).findLast((message) => message.to === to);
      if (found) return inboxMessage(found);
      const matches = (message: Message) => message.applicationId === applicationId && message.to === to;
      const ends = signal ? AbortSignal.any([closed, signal]) : closed;
      return inboxMessage(await nextMessage(state, matches, timeoutSeconds, ends));
    },
  };
}

function laterThan(messages: readonly Message[], after: string | undefined): readonly Message[] {
  if (after === undefined) return messages;
  const index = messages.findIndex(({ id }) => id === after);
  if (index === -1) throw new SandboxError("message_unknown", "`after` must be the id of a message in the inbox.");
  return messages.slice(index + 1);
}

function nextMessage(
  state: State,
  matches: (message: Message) => boolean,
  timeoutSeconds: number,
  closed: AbortSignal,
): Promise<Message> {
  const { promise, resolve, reject } = Promise.withResolvers<Message>();
  const give = (code: "message_missing" | "closed", text: string) => reject(new SandboxError(code, text));
  const close = () => give("closed", "The wait was ended.");
  const timer = setTimeout(() => give("message_missing", "No message came in time."), timeoutSeconds * 1000);
  const stop = state.messages.watch((message, added) => {
    if (added && matches(message)) resolve(message);
  });
  closed.addEventListener("abort", close, { once: true });
  if (closed.aborted) close();
  return promise.finally(() => {
    clearTimeout(timer);
    stop();
    closed.removeEventListener("abort", close);
  });
}

function inboxMessage(message: Message): InboxMessage {
  const { id, requestId, to, channel, sender, text, code, segments, timeline } = message;
  return {
    id,
    requestId,
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
