import { parseOptions, strictOptions, wholeNumberOption } from "../util/parse-options.ts";
import type { ErrorSummary } from "../util/redact.ts";
import { parseEventText, type UnreadableEvent, type WebhookEvent } from "./event.ts";

/**
 * The minimum time, in seconds, for which an {@link Inbox} knows the key of a completed entry: the service delivers an event five times
 * over 72.5 minutes.
 * @see "Retry schedule" of the specification
 */
export const minInboxKeepSeconds = 7200;

/** A verified delivery, as an inbox keeps it. */
export interface InboxEntry {
  /** The event's key, the same in every delivery of it: 64 hexadecimal digits. */
  readonly key: string;
  /** The body as text, of any characters. */
  readonly body: string;
}

/** An entry that was handed to a worker. */
export interface TakenEntry extends InboxEntry {
  /** The failures in the last {@link InboxVerdict}; 0 at first, and after a replay. */
  readonly failures: number;
  /** True after {@link Inbox.replay}, until the entry is delivered again. */
  readonly replayed: boolean;
  /**
   * The number of workers that took the entry and gave no verdict: each has died, or stood still for too long. A verdict ends the count,
   * unless it keeps the deaths.
   */
  readonly deaths: number;
}

/**
 * The verdict on an entry that was handed out:
 * - `complete`: it is done, and its key stays known for {@link minInboxKeepSeconds} at least.
 * - `retry`: it is handed out again after the pause, with that many failures.
 * - `dead_letter`: it becomes a dead letter.
 */
export type InboxVerdict =
  | { readonly action: "complete" }
  | {
      readonly action: "retry";
      readonly afterSeconds: number;
      readonly failures: number;
      /** True if nothing was decided about the entry: its {@link TakenEntry.deaths} stay, and the next death adds to them. Default: false. */
      readonly keepsDeaths?: boolean;
    }
  | { readonly action: "dead_letter"; readonly error: ErrorSummary };

/** Handles an entry. Never rejects. */
export type InboxHandler = (entry: TakenEntry) => Promise<InboxVerdict>;

/** An entry that became a dead letter. */
export interface DeadLetterEntry extends InboxEntry {
  /** The error of the last attempt. */
  readonly error: ErrorSummary;
  /** The instant of the last failure, as Unix milliseconds. */
  readonly failedAtMilliseconds: number;
}

/** Options of {@link Inbox.work}. */
export interface InboxWorkOptions {
  /** The maximum number of entries that are handled at the same time. */
  readonly concurrency: number;
  /** Receives errors between entries, such as a lost connection. The work goes on. */
  readonly onError: (error: unknown) => void;
}

/** A worker of an inbox in this process. */
export interface InboxWorker {
  /**
   * Takes no more entries, and resolves when those in work are done. After the limit the rest is given up: the inbox hands it out again.
   */
  stop(options: { readonly limitSeconds: number }): Promise<void>;
}

/**
 * A queue that keeps webhooks between their acknowledgement and their handling, over a queue engine.
 *
 * An entry is handed out until a verdict ends it: to one worker at a time while that worker lives, and again when the
 * worker died. An inbox promises at least once; deduplication and ordering are the store's job.
 */
export interface Inbox {
  /** Adds an entry. Resolves when the engine has stored it. A key that is known already changes nothing. */
  add(entry: InboxEntry): Promise<void>;
  /** Hands entries out in this process and carries out the verdicts. Resolves when it has begun. */
  work(handle: InboxHandler, options: InboxWorkOptions): Promise<InboxWorker>;
  /** Returns the dead letters, the newest first. */
  deadLetters(limit: number): Promise<readonly DeadLetterEntry[]>;
  /** Returns the dead letters among these keys, in any order. Its cost depends on the keys, and not on the dead letters of the inbox. */
  findDeadLetters(keys: readonly string[]): Promise<readonly DeadLetterEntry[]>;
  /** Hands a dead letter or a known completed entry out again. @returns false if there is none, or it is being handled */
  replay(key: string): Promise<boolean>;
  /** Removes a dead letter. @returns false if there is no such dead letter */
  discard(key: string): Promise<boolean>;
  /** Counts the entries. */
  counts(): Promise<InboxCounts>;
  /** Ends the connections and timers that the inbox has made, and nothing of the app. `doorcode.close()` calls it. */
  close(): Promise<void>;
}

/** How many entries an inbox holds. */
export interface InboxCounts {
  /** The entries that are handled now or later. */
  readonly open: number;
  readonly dead: number;
}

/** An event whose handler failed too often. */
export interface DeadLetter {
  /** The argument of {@link DeadLetters.replay}. */
  readonly key: string;
  readonly event: WebhookEvent | UnreadableEvent;
  /** The body as text. */
  readonly body: string;
  /** The error of the last attempt. */
  readonly error: ErrorSummary;
  /** The instant of the last failure. */
  readonly failedAt: Date;
}

/** The dead letters of the inbox. */
export interface DeadLetters {
  /** Lists the dead letters, the newest first; at most `limit`, 100 by default. */
  list(options?: { readonly limit?: number }): Promise<readonly DeadLetter[]>;
  /** Finds the dead letters among these keys of events, in any order. */
  find(keys: readonly string[]): Promise<readonly DeadLetter[]>;
  /**
   * Has an event handled again: a dead letter, or an event that was handled in the last two hours. The handler runs even if the event was
   * handled before or a newer one was. What is known of newer events stays. The handler may run twice if the database fails while the event
   * is being marked.
   *
   * @param key - the key of a dead letter or of an event.
   * @returns false if the inbox does not know the event, or the event is being handled.
   */
  replay(key: string): Promise<boolean>;
  /**
   * Removes a dead letter for good. If the service delivers its event again, that is handled as a new one.
   * @returns false if there is no such dead letter: it was removed before, or is being replayed.
   */
  discard(key: string): Promise<boolean>;
  /** Counts the events that wait in the inbox, and the dead letters. */
  counts(): Promise<InboxCounts>;
}

const listShape = strictOptions({ limit: wholeNumberOption(1, Number.MAX_SAFE_INTEGER).default(100) });
const eventKey = /^[0-9a-f]{64}$/;

/** Creates the dead letters of an inbox. */
export function createDeadLetters(inbox: Inbox): DeadLetters {
  return {
    async list(options = {}) {
      const { limit } = parseOptions("doorcode.deadLetters.list", listShape, options);
      const entries = await inbox.deadLetters(limit);
      return entries.map(readDeadLetter);
    },
    // A text that is no key might name something else in the engine, so the inbox is not asked for it.
    async find(keys) {
      const entries = await inbox.findDeadLetters(keys.filter((key) => eventKey.test(key)));
      return entries.map(readDeadLetter);
    },
    replay: async (key) => eventKey.test(key) && inbox.replay(key),
    discard: async (key) => eventKey.test(key) && inbox.discard(key),
    counts: () => inbox.counts(),
  };
}

function readDeadLetter({ key, body, error, failedAtMilliseconds }: DeadLetterEntry): DeadLetter {
  return { key, event: parseEventText(body), body, error, failedAt: new Date(failedAtMilliseconds) };
}
