import { isInInbox, type Message } from "../../state/message.ts";
import type { State } from "../../state/state.ts";
import { address, type ThreadName, threadAddress, withQuery } from "../address.ts";
import { filtered, type Paged, pageOf } from "../paging.ts";
import { messageMatches } from "./search.ts";
import type { Thread, ThreadIndex } from "./thread-index.ts";

const threadsShown = 50;
const messagesShown = 100;
/** Of all numbers together: who looks for more opens a thread. */
const latestShown = 50;

/** What is asked for in the address of the inbox. */
export interface InboxQuery {
  /** Searched in numbers, texts and codes. */
  readonly search: string;
  /** Only threads of this channel; empty for all. */
  readonly channel: string;
  /** The thread that is open; without one the newest messages of all are. */
  readonly thread: ThreadName | undefined;
  /** Where the page of the threads begins, and that of the messages. */
  readonly threadsBefore: string | undefined;
  readonly before: string | undefined;
}

/** What the inbox shows. */
export interface InboxView {
  readonly applicationId: string;
  readonly query: InboxQuery;
  readonly total: number;
  readonly threads: Paged<Thread>;
  readonly messages: Paged<Message>;
  /** All messages of the open thread. */
  readonly threadTotal: number;
}

/** Where the inbox reads from. */
export interface InboxSource {
  readonly state: Pick<State, "messages">;
  readonly index: ThreadIndex;
}

/** Picks what the inbox of an application shows. */
export function inboxView({ state, index }: InboxSource, applicationId: string, query: InboxQuery): InboxView {
  const { thread, search, channel } = query;
  const matches = (message: Message) =>
    messageMatches(message, search) && (channel === "" || message.channel === channel);
  const all = () => filtered(state.messages.newestFirst(applicationId), isInInbox);
  const open = () => (thread ? index.messages(applicationId, thread) : all());
  const messageOnly = (message: Message) => (thread ? messageMatches(message, search) : matches(message));

  return {
    applicationId,
    query,
    total: index.total(applicationId),
    threads: pageOf(
      () => (search === "" ? threadsOf(index, applicationId, channel) : threadsWith(filtered(all(), matches), index)),
      threadPlace,
      threadsShown,
      query.threadsBefore,
    ),
    messages: pageOf(
      () => filtered(open(), messageOnly),
      ({ id }) => id,
      thread ? messagesShown : latestShown,
      query.before,
    ),
    threadTotal: thread ? index.count(applicationId, thread) : 0,
  };
}

/** What tells a thread of the inbox from another, in its address. */
export function threadPlace({ to, channel }: ThreadName): string {
  return `${to} ${channel}`;
}

/** Where a page of the inbox begins: see {@link InboxQuery}. */
export interface InboxPlace {
  readonly threads?: string | undefined;
  readonly before?: string | undefined;
}

/** The address of a thread, or of all messages, that keeps what was searched for. */
export function inboxAddress(
  applicationId: string,
  { search, channel }: InboxQuery,
  thread?: ThreadName,
  { threads, before }: InboxPlace = {},
): string {
  const path = thread ? threadAddress(applicationId, thread) : address(applicationId);
  return withQuery(path, { q: search, channel, threads, before });
}

function threadsOf(index: ThreadIndex, applicationId: string, channel: string): Iterable<Thread> {
  const threads = index.threads(applicationId);
  return channel === "" ? threads : filtered(threads, (thread) => thread.channel === channel);
}

/** The threads of the given messages, each with the newest of them. */
function* threadsWith(messages: Iterable<Message>, index: ThreadIndex): Iterable<Thread> {
  const seen = new Set<string>();
  for (const newest of messages) {
    const key = threadPlace(newest);
    if (seen.has(key)) continue;
    seen.add(key);
    const { to, channel } = newest;
    yield { to, channel, newest, count: index.count(newest.applicationId, newest) };
  }
}
