import { isInInbox, type Message } from "../../state/message.ts";
import type { State } from "../../state/state.ts";
import { filter, type Page, pageOf } from "../components/paging.ts";
import { applicationPath, type ThreadName, threadPath, withQuery } from "../components/paths.ts";
import { messageMatches } from "./search.tsx";
import { type Thread, type ThreadIndex, threadKey } from "./thread-index.ts";

const maxThreads = 50;
const maxThreadMessages = 100;
/** Messages of all numbers together. A thread shows more. */
const maxLatestMessages = 50;

/** The query of the inbox, from its URL. */
export interface InboxQuery {
  /** Text to find in numbers, texts, codes and senders. */
  readonly search: string;
  /** Shows only threads of this channel; empty for all. */
  readonly channel: string;
  /** The open thread. Without one the newest messages of all threads are shown. */
  readonly thread: ThreadName | undefined;
  /** Cursor of the page of threads. */
  readonly threadsBefore: string | undefined;
  /** Cursor of the page of messages. */
  readonly before: string | undefined;
}

/** The content of the inbox. */
export interface InboxResult {
  /** The application. */
  readonly applicationId: string;
  /** The query that was answered. */
  readonly query: InboxQuery;
  /** Number of messages in the inbox. */
  readonly total: number;
  /** The threads, the one with the newest message first. */
  readonly threads: Page<Thread>;
  /** The messages, the newest first. */
  readonly messages: Page<Message>;
  /** Number of messages in the open thread. */
  readonly threadTotal: number;
}

/** The sources of the inbox. */
export interface InboxSource {
  /** All messages. */
  readonly state: Pick<State, "messages">;
  /** The threads. */
  readonly index: ThreadIndex;
}

/** Selects the content of an application's inbox. */
export function queryInbox({ state, index }: InboxSource, applicationId: string, query: InboxQuery): InboxResult {
  const { thread, search, channel } = query;
  const matches = (message: Message) =>
    messageMatches(message, search) && (channel === "" || message.channel === channel);
  const all = () => filter(state.messages.newestFirst(applicationId), isInInbox);
  const messages = () =>
    thread
      ? filter(index.messages(applicationId, thread), (message) => messageMatches(message, search))
      : filter(all(), matches);
  const threads = () =>
    search === "" ? threadsOf(index, applicationId, channel) : threadsWith(filter(all(), matches), index);
  const maxMessages = thread ? maxThreadMessages : maxLatestMessages;

  return {
    applicationId,
    query,
    total: index.total(applicationId),
    threads: pageOf(threads, threadKey, maxThreads, query.threadsBefore),
    messages: pageOf(messages, ({ id }) => id, maxMessages, query.before),
    threadTotal: thread ? index.count(applicationId, thread) : 0,
  };
}

/** The cursors of the pages of an inbox: see {@link InboxQuery}. */
export interface InboxCursors {
  /** Cursor of the page of threads. */
  readonly threads?: string | undefined;
  /** Cursor of the page of messages. */
  readonly before?: string | undefined;
}

/** Returns the path of a thread, or of all messages, with the search and the channel of the query. */
export function inboxPath(
  applicationId: string,
  { search, channel }: Pick<InboxQuery, "search" | "channel">,
  thread?: ThreadName,
  { threads, before }: InboxCursors = {},
): string {
  const path = thread ? threadPath(applicationId, thread) : applicationPath(applicationId);
  return withQuery(path, { q: search, channel, threads, before });
}

function threadsOf(index: ThreadIndex, applicationId: string, channel: string): Iterable<Thread> {
  const threads = index.threads(applicationId);
  return channel === "" ? threads : filter(threads, (thread) => thread.channel === channel);
}

/** Returns the threads of the given messages, each with the newest of them. */
function* threadsWith(newestFirst: Iterable<Message>, index: ThreadIndex): Iterable<Thread> {
  const seen = new Set<string>();
  for (const newest of newestFirst) {
    const key = threadKey(newest);
    if (seen.has(key)) continue;
    seen.add(key);
    const { to, channel } = newest;
    yield { to, channel, newest, count: index.count(newest.applicationId, newest) };
  }
}
