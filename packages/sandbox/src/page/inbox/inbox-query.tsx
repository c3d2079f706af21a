import type { Child } from "hono/jsx";
import { isInInbox, type Message } from "../../state/message.ts";
import { matchesSearch, type Page, pageOf } from "../components/list.tsx";
import { applicationPath, type ThreadName, threadPath, withQuery } from "../components/paths.ts";
import type { PageRequest } from "../request/page-request.tsx";

/** Messages of all numbers together are fewer, as many as in any list. */
const maxThreadMessages = 100;

/** A thread of the inbox. */
export interface Thread extends ThreadName {
  readonly count: number;
  /** The newest message that matches the search. */
  readonly newest: Message;
  /** The id of the newest message of all, which tells whether the thread was read. */
  readonly newestId: string;
}

/** Returns the key of a thread, which is also its cursor. */
export function threadKey({ to, channel }: ThreadName): string {
  return `${to} ${channel}`;
}

/** The part of an inbox that its page shows. */
export interface ShownInbox {
  readonly applicationId: string;
  /** Now, in Unix milliseconds on the application's clock. */
  readonly now: number;
  readonly search: string;
  readonly channel: string;
  /** The open thread. */
  readonly thread: ThreadName | undefined;
  readonly total: number;
  /** The threads, the one with the newest message first. */
  readonly threads: Page<Thread>;
  /** The messages, the newest first. */
  readonly messages: Page<Message>;
  readonly threadTotal: number;
}

/** Selects the part of an application's inbox that a request asks for. */
export function readInbox({ deps, application, now, query, search, param }: PageRequest): ShownInbox {
  const { channel = "", threads: threadsBefore, before } = query;
  const thread = param("to") === "" ? undefined : { to: param("to"), channel: param("channel") };
  const all = deps.state.messages.list(application.id).filter(isInInbox).reverse();
  const matching = all.filter(({ to, text, code, sender }) => matchesSearch(search, [to, text, code, sender]));
  const ofChannel = matching.filter((message) => channel === "" || message.channel === channel);
  const ofThread = (message: Message) => thread !== undefined && threadKey(message) === threadKey(thread);

  return {
    applicationId: application.id,
    now,
    search,
    channel,
    thread,
    total: all.length,
    threads: pageOf(threadsOf(ofChannel, all), threadsBefore, threadKey),
    messages: thread
      ? pageOf(matching.filter(ofThread), before, ({ id }) => id, maxThreadMessages)
      : pageOf(ofChannel, before, ({ id }) => id),
    threadTotal: all.filter(ofThread).length,
  };
}

/** Returns the path of a thread, or of all messages, with the search and the channel of the shown inbox. */
export function inboxPath(
  { applicationId, search, channel }: ShownInbox,
  thread?: ThreadName,
  cursors: { readonly threads?: string; readonly before?: string } = {},
): string {
  const path = thread ? threadPath(applicationId, thread) : applicationPath(applicationId);
  return withQuery(path, { q: search, channel, ...cursors });
}

/** Returns the threads of the matching messages, each with the newest of them and the count of all its messages. */
function threadsOf(matching: readonly Message[], all: readonly Message[]): readonly Thread[] {
  const allByThread = Map.groupBy(all, threadKey);
  return [...Map.groupBy(matching, threadKey)].flatMap(([key, [newest]]) => {
    if (!newest) return [];
    const { to, channel } = newest;
    const messages = allByThread.get(key) ?? [newest];
    return [{ to, channel, newest, newestId: (messages[0] ?? newest).id, count: messages.length }];
  });
}

/** Returns the parts of a text, with the search text highlighted. */
export function highlighted(text: string, search: string): Child {
  const folded = text.toLowerCase();
  const wanted = search.toLowerCase();
  // Lower case changes the length of some letters. Positions in the folded text are then wrong for the original.
  if (wanted === "" || folded.length !== text.length) return text;
  const parts: Child[] = [];
  let end = 0;
  for (let start = folded.indexOf(wanted); start !== -1; start = folded.indexOf(wanted, end)) {
    parts.push(text.slice(end, start));
    end = start + wanted.length;
    parts.push(<mark>{text.slice(start, end)}</mark>);
  }
  return [...parts, text.slice(end)];
}
