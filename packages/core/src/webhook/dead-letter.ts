import type { WebhookEvent } from "./event.ts";
import type { BuriedEntry, Inbox, LastError } from "./inbox.ts";
import { parseEvent, type UnreadableEvent } from "./parse-event.ts";

/** An event that was given up. */
export interface DeadLetter {
  /** What {@link WebhookDesk.replay} takes. */
  readonly key: string;
  readonly event: WebhookEvent | UnreadableEvent;
  /** The body as text. */
  readonly body: string;
  /** What the last attempt failed of: name, `code` and one short line. */
  readonly error: LastError;
  readonly failedAt: Date;
}

/** Looks after the inbox of webhooks. */
export interface WebhookDesk {
  /** Lists the events that were given up, the newest first; 100 at most unless `limit` says otherwise. */
  deadLetters(options?: { readonly limit?: number }): Promise<readonly DeadLetter[]>;
  /**
   * Has an event handled once more: a dead letter, or one that was handled in the last two hours or more.
   *
   * The handler runs even if the event was handled before, or overtaken by a newer one; what is newer stays as it is. It
   * may run twice when the database fails while it is marked.
   *
   * @param key - of a dead letter, or of an event: `event.key`.
   * @returns false when the inbox does not know it, or it is still under way.
   */
  replay(key: string): Promise<boolean>;
}

const defaultLimit = 100;
const eventKey = /^[0-9a-f]{64}$/;
const encoder = new TextEncoder();

/** Creates the desk of an inbox. */
export function createWebhookDesk(inbox: Inbox): WebhookDesk {
  return {
    async deadLetters({ limit = defaultLimit } = {}) {
      if (!(Number.isSafeInteger(limit) && limit > 0)) {
        throw new TypeError("deadLetters: limit must be a whole number above 0, such as 100.");
      }
      return (await inbox.buried(limit)).map(readDeadLetter);
    },
    // No inbox is asked for what is no key: to an engine it might be the name of something else.
    replay: async (key) => eventKey.test(key) && inbox.replay(key),
  };
}

function readDeadLetter({ key, body, error, buriedAtMilliseconds }: BuriedEntry): DeadLetter {
  const event = parseEvent(encoder.encode(body));
  return { key, event, body, error, failedAt: new Date(buriedAtMilliseconds) };
}
