import { createHash } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { Publish } from "../doorcode-event.ts";
import type { Inbox, InboxEntry } from "./inbox.ts";
import { decodeBody } from "./parse-event.ts";
import type { ReceiveOutcome } from "./process-event.ts";
import { answerWithinMilliseconds, type Receiver } from "./receiver.ts";

/** What a receiver with an inbox is made of. */
export interface InboxReceiverParts {
  readonly inbox: Inbox;
  readonly clock: Clock;
  readonly publish: Publish;
}

/**
 * Creates the receiver of an app with an inbox: it runs no handler, and tells `handled` when the inbox has the event.
 *
 * What is no event goes into the inbox too, from which a worker takes it to the dead letters.
 */
export function createInboxReceiver({ inbox, clock, publish }: InboxReceiverParts): Receiver {
  async function keep(entry: InboxEntry, receivedAtMilliseconds: number): Promise<ReceiveOutcome> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const leftMilliseconds = receivedAtMilliseconds + answerWithinMilliseconds - clock.now();
    const cancelDeadline = clock.schedule(leftMilliseconds, () =>
      reject(new Error("The inbox did not answer in time.")),
    );
    try {
      await Promise.race([inbox.add(entry), late]);
      return "handled";
    } catch (error) {
      publish({ type: "inbox.failed", error });
      return "store_unavailable";
    } finally {
      cancelDeadline();
    }
  }

  return {
    async receive(event, { receivedAtMilliseconds }) {
      const outcome = await keep({ key: event.key, body: event.body }, receivedAtMilliseconds);
      if (outcome === "handled") publish({ type: "webhook.persisted", kind: event.kind, key: event.key });
      return outcome;
    },
    receiveUnreadable(body, { receivedAtMilliseconds }) {
      const key = createHash("sha256").update(body).digest("hex");
      return keep({ key, body: decodeBody(body) }, receivedAtMilliseconds);
    },
  };
}
