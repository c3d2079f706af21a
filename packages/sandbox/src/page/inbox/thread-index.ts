import type { Collection } from "../../state/collection.ts";
import { isInInbox, type Message } from "../../state/message.ts";
import type { ThreadName } from "../address.ts";

/** A thread and its newest message. */
export interface Thread extends ThreadName {
  readonly count: number;
  readonly newest: Message;
}

/** Finds threads and what they hold, without a look at every message. */
export interface ThreadIndex {
  /** The threads of an application, the one with the newest message first. */
  threads(applicationId: string): Iterable<Thread>;
  /** The messages of a thread, the newest first. */
  messages(applicationId: string, name: ThreadName): Iterable<Message>;
  count(applicationId: string, name: ThreadName): number;
  /** How many messages are in the inbox. */
  total(applicationId: string): number;
}

/** The threads of an application by their key, the one that got a message last at the end; and the ids in them. */
interface Index {
  readonly ids: Map<string, string[]>;
  /** Messages that were looked at, deleted ones too. */
  seen: number;
  total: number;
}

/** Keeps an index of the threads that follows what is added. */
export function createThreadIndex(messages: Collection<Message>): ThreadIndex {
  const indexes = new Map<string, Index>();
  messages.watch((message, change) => {
    const index = indexes.get(message.applicationId);
    if (change === "added" && index) add(index, message);
    else if (!isInInbox(message)) indexes.delete(message.applicationId);
  });

  /** Nobody tells of what was forgotten: then there are fewer messages than were seen, and it is built again. */
  const indexOf = (applicationId: string): Index => {
    const known = indexes.get(applicationId);
    if (known?.seen === messages.count(applicationId)) return known;
    const index: Index = { ids: new Map(), seen: 0, total: 0 };
    for (const message of messages.list(applicationId)) add(index, message);
    indexes.set(applicationId, index);
    return index;
  };
  const idsOf = (applicationId: string, name: ThreadName) => indexOf(applicationId).ids.get(keyOf(name)) ?? [];

  return {
    *threads(applicationId) {
      for (const ids of [...indexOf(applicationId).ids.values()].reverse()) {
        const newest = messages.get(ids.at(-1) ?? "");
        if (newest) yield { to: newest.to, channel: newest.channel, count: ids.length, newest };
      }
    },
    *messages(applicationId, name) {
      const ids = idsOf(applicationId, name);
      for (let place = ids.length - 1; place >= 0; place--) {
        const message = messages.get(ids[place] ?? "");
        if (message) yield message;
      }
    },
    count: (applicationId, name) => idsOf(applicationId, name).length,
    total: (applicationId) => indexOf(applicationId).total,
  };
}

function add(index: Index, message: Message): void {
  index.seen++;
  if (!isInInbox(message)) return;
  const key = keyOf(message);
  const ids = index.ids.get(key) ?? [];
  ids.push(message.id);
  // A key that is set again moves to the end: the order of the map is the order of the newest messages.
  index.ids.delete(key);
  index.ids.set(key, ids);
  index.total++;
}

function keyOf({ to, channel }: ThreadName): string {
  return `${to} ${channel}`;
}
