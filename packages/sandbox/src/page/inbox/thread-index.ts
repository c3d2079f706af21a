import type { ReportedRecords } from "../../state/collection.ts";
import { isInInbox, type Message } from "../../state/message.ts";
import type { ThreadName } from "../components/paths.ts";

/** A thread of the inbox. */
export interface Thread extends ThreadName {
  /** Number of messages. */
  readonly count: number;
  /** The newest message. */
  readonly newest: Message;
}

/** An index of the threads, which avoids reading every message. */
export interface ThreadIndex {
  /** Iterates over the threads of an application, the one with the newest message first. */
  threads(applicationId: string): Iterable<Thread>;
  /** Iterates over the messages of a thread, the newest first. */
  messages(applicationId: string, name: ThreadName): Iterable<Message>;
  /** Returns the number of messages in a thread. */
  count(applicationId: string, name: ThreadName): number;
  /** Returns the number of messages in the inbox. */
  total(applicationId: string): number;
}

/** The threads of one application. */
interface ApplicationThreads {
  /** Message ids by thread key. The thread with the newest message is the last. */
  readonly ids: Map<string, string[]>;
  /** Number of messages that the index has read, including deleted ones. */
  seen: number;
  total: number;
}

/** Creates an index that follows new messages. */
export function createThreadIndex(messages: ReportedRecords<Message>): ThreadIndex {
  const applications = new Map<string, ApplicationThreads>();
  messages.watch((message, change) => {
    const threads = applications.get(message.applicationId);
    if (change === "added" && threads) add(threads, message);
    else if (!isInInbox(message)) applications.delete(message.applicationId);
  });

  /** `forget` does not call watchers. The application then has fewer messages than were read, so the index is rebuilt. */
  const threadsOf = (applicationId: string): ApplicationThreads => {
    const known = applications.get(applicationId);
    if (known?.seen === messages.count(applicationId)) return known;
    const threads: ApplicationThreads = { ids: new Map(), seen: 0, total: 0 };
    for (const message of messages.oldestFirst(applicationId)) add(threads, message);
    applications.set(applicationId, threads);
    return threads;
  };
  const idsOf = (applicationId: string, name: ThreadName) => threadsOf(applicationId).ids.get(threadKey(name)) ?? [];

  return {
    *threads(applicationId) {
      for (const ids of [...threadsOf(applicationId).ids.values()].reverse()) {
        const newest = messages.get(ids.at(-1) ?? "");
        if (newest) yield { to: newest.to, channel: newest.channel, count: ids.length, newest };
      }
    },
    *messages(applicationId, name) {
      const ids = idsOf(applicationId, name);
      for (let index = ids.length - 1; index >= 0; index--) {
        const message = messages.get(ids[index] ?? "");
        if (message) yield message;
      }
    },
    count: (applicationId, name) => idsOf(applicationId, name).length,
    total: (applicationId) => threadsOf(applicationId).total,
  };
}

/** Returns the key of a thread, which is also its cursor. */
export function threadKey({ to, channel }: ThreadName): string {
  return `${to} ${channel}`;
}

function add(threads: ApplicationThreads, message: Message): void {
  threads.seen++;
  if (!isInInbox(message)) return;
  const key = threadKey(message);
  const ids = threads.ids.get(key) ?? [];
  ids.push(message.id);
  // Deleting the key and adding it again moves it to the end of the map.
  threads.ids.delete(key);
  threads.ids.set(key, ids);
  threads.total++;
}
