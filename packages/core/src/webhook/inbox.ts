/**
 * For how many seconds an {@link Inbox} knows the key of an entry that is done, at least: the service delivers an event
 * five times over 72.5 minutes.
 *
 * @see "Retry schedule" of the specification
 */
export const fewestInboxKeepSeconds = 7200;

/** A verified delivery as an inbox keeps it. */
export interface InboxEntry {
  /** Names the event, the same in every delivery of it: 64 hexadecimal digits. */
  readonly key: string;
  /** The body as text, of any characters. */
  readonly body: string;
}

/** An entry in the hands of a worker. */
export interface TakenEntry extends InboxEntry {
  /** As the last {@link Verdict} had it; 0 at first, and after a replay. */
  readonly failures: number;
  /** It was put back by {@link Inbox.replay}, and not delivered since. */
  readonly replayed: boolean;
}

/** Why an entry came to the dead letters. An error of the app is told by its name, its `code` and one short line. */
export interface LastError {
  readonly name: string;
  readonly code: string | undefined;
  readonly message: string;
}

/**
 * What becomes of an entry that was handed out:
 * - `complete`: it is done, and its key stays known for {@link fewestInboxKeepSeconds} at least.
 * - `again`: it is handed out again after a while, with that many failures.
 * - `bury`: it goes to the dead letters.
 */
export type Verdict =
  | { readonly act: "complete" }
  | { readonly act: "again"; readonly afterSeconds: number; readonly failures: number }
  | { readonly act: "bury"; readonly error: LastError };

/** Handles an entry. Never rejects. */
export type InboxHandler = (entry: TakenEntry) => Promise<Verdict>;

/** An entry among the dead letters. */
export interface BuriedEntry extends InboxEntry {
  readonly error: LastError;
  /** Unix milliseconds. */
  readonly buriedAtMilliseconds: number;
}

/** How entries are handed out. */
export interface InboxWorkOptions {
  readonly concurrency: number;
  /** Hears what goes wrong between the entries, such as a lost connection; the work goes on. */
  readonly onError: (error: unknown) => void;
}

/** What hands out entries in this process. */
export interface InboxWorker {
  /**
   * Takes no more entries, and resolves when those under way are done. What is not done after the limit is given up: it
   * is handed out again, here or elsewhere.
   */
  stop(options: { readonly limitSeconds: number }): Promise<void>;
}

/**
 * Where webhooks are kept between their acknowledgement and their handling: five verbs over a queue engine.
 *
 * An entry that was added is handed out until a verdict ends it, to one worker at a time while that worker lives, and
 * again when it died: an inbox promises at least once. Once, and in order, is the matter of the store.
 */
export interface Inbox {
  /** Keeps an entry; resolves when the engine has it. A key that is known already, under way or done, changes nothing. */
  add(entry: InboxEntry): Promise<void>;
  /** Hands entries out in this process, `concurrency` at once at most, and carries out the verdicts. Resolves when it has begun. */
  work(handle: InboxHandler, options: InboxWorkOptions): Promise<InboxWorker>;
  /** Answers the dead letters, the newest first. */
  buried(limit: number): Promise<readonly BuriedEntry[]>;
  /**
   * Hands an entry out once more: a dead letter, or one that is done and still known.
   *
   * @returns false when there is no such entry, or it is under way.
   */
  replay(key: string): Promise<boolean>;
  /** Ends what the inbox opened itself. */
  close(): Promise<void>;
}
