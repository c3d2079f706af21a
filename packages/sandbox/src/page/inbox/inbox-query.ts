import { isInInbox, type Message } from "../../state/message.ts";
import type { State } from "../../state/state.ts";
import { applicationPath, type Page, pageOf, type ThreadName, threadPath, withQuery } from "../components/paths.ts";
import { messageMatches } from "./search.tsx";

const maxThreads = 50;
const maxThreadMessages = 100;
/** Messages of all numbers together. A thread shows more. */
const maxLatestMessages = 50;

/** A thread of the inbox. */
export interface Thread extends ThreadName {
  readonly count: number;
  readonly newest: Message;
}

/** Returns the key of a thread, which is also its cursor. */
export function threadKey({ to, channel }: ThreadName): string {
  return `${to} ${channel}`;
}

/** The query of the inbox, from its URL. */
interface InboxQuery {
  readonly search: string;
  readonly channel: string;
  readonly thread: ThreadName | undefined;
  readonly threadsBefore: string | undefined;
  readonly before: string | undefined;
}

/** The content of the inbox. */
export interface InboxResult {
  readonly applicationId: string;
  readonly query: InboxQuery;
  readonly total: number;
  /** The threads, the one with the newest message first. */
  readonly threads: Page<Thread>;
  /** The messages, the newest first. */
  readonly messages: Page<Message>;
  readonly threadTotal: number;
}

/** Selects the content of an application's inbox. */
export function queryInbox(
  { messages }: Pick<State, "messages">,
  applicationId: string,
  query: InboxQuery,
): InboxResult {
  const { thread, search, channel } = query;
  const all = messages.list(applicationId).filter(isInInbox).reverse();
  const matching = all.filter((message) => messageMatches(message, search));
  const ofChannel = matching.filter((message) => channel === "" || message.channel === channel);
  const ofThread = (message: Message) => thread !== undefined && threadKey(message) === threadKey(thread);

  return {
    applicationId,
    query,
    total: all.length,
    threads: pageOf(threadsOf(ofChannel, all), threadKey, maxThreads, query.threadsBefore),
    messages: thread
      ? pageOf(matching.filter(ofThread), ({ id }) => id, maxThreadMessages, query.before)
      : pageOf(ofChannel, ({ id }) => id, maxLatestMessages, query.before),
    threadTotal: all.filter(ofThread).length,
  };
}

/** The cursors of the pages of an inbox: see {@link InboxQuery}. */
interface InboxCursors {
  readonly threads?: string | undefined;
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

/** Returns the threads of the matching messages, each with the newest of them and the count of all its messages. */
function threadsOf(matching: readonly Message[], all: readonly Message[]): readonly Thread[] {
  const counts = new Map<string, number>();
  for (const message of all) counts.set(threadKey(message), (counts.get(threadKey(message)) ?? 0) + 1);
  const threads = new Map<string, Thread>();
  for (const newest of matching) {
    const key = threadKey(newest);
    const { to, channel } = newest;
    if (!threads.has(key)) threads.set(key, { to, channel, newest, count: counts.get(key) ?? 0 });
  }
  return [...threads.values()];
}
