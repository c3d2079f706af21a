import type { ErrorSummary } from "../util/error-summary.ts";
import type { UnreadableEvent, WebhookEvent } from "./event.ts";
import type { Inbox } from "./inbox.ts";
import { parseEventText } from "./parse-event.ts";

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
  /**
   * Has an event handled again: a dead letter, or an event that was handled in the last two hours.
   *
   * The handler runs even if the event was handled before or a newer one was. What is known of newer events stays. The
   * handler may run twice if the database fails while the event is being marked.
   *
   * @param key - the key of a dead letter or of an event.
   * @returns false if the inbox does not know the event, or the event is under way.
   */
  replay(key: string): Promise<boolean>;
}

const defaultLimit = 100;
const eventKey = /^[0-9a-f]{64}$/;

/** Creates the dead letters of an inbox. */
export function createDeadLetters(inbox: Inbox): DeadLetters {
  return {
    async list({ limit = defaultLimit } = {}) {
      if (!(Number.isSafeInteger(limit) && limit > 0)) {
        throw new TypeError("deadLetters.list: limit must be a whole number above 0, such as 100.");
      }
      const entries = await inbox.deadLetters(limit);
      return entries.map(({ key, body, error, failedAtMilliseconds }) => {
        return { key, event: parseEventText(body), body, error, failedAt: new Date(failedAtMilliseconds) };
      });
    },
    // A text that is no key might name something else in the engine, so the inbox is not asked for it.
    replay: async (key) => eventKey.test(key) && inbox.replay(key),
  };
}
