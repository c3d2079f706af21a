import { createHash } from "node:crypto";
import { afterAnswer } from "../util/after-answer.ts";
import type { Clock } from "../util/clock.ts";
import { createDeadline } from "../util/deadline.ts";
import type { Publish } from "../util/publish.ts";
import type { WebhookDeliveryEvent } from "./delivery-event.ts";
import type { EventOutcome } from "./event-processing.ts";
import type { Inbox, InboxEntry } from "./inbox.ts";
import { decodeBody } from "./parse-event.ts";
import { answerWithinMilliseconds, type Receiver } from "./receiver.ts";

/** The dependencies of a receiver with an inbox. */
export interface InboxReceiverDeps {
  readonly inbox: Inbox;
  readonly clock: Clock;
  readonly publish: Publish<WebhookDeliveryEvent>;
}

/**
 * Creates the receiver of an app with an inbox. It runs no handler: an event is acknowledged when the inbox has it.
 *
 * A body that is no event goes into the inbox too, and a worker makes it a dead letter.
 */
export function createInboxReceiver({ inbox, clock, publish }: InboxReceiverDeps): Receiver {
  async function add(entry: InboxEntry, receivedAtMilliseconds: number): Promise<EventOutcome> {
    const secondsLeft = (receivedAtMilliseconds + answerWithinMilliseconds - clock.now()) / 1000;
    const deadline = createDeadline(clock, secondsLeft, () => new Error("The inbox did not answer in time."));
    try {
      const adding = inbox.add(entry);
      afterAnswer(adding);
      await deadline.race(adding);
      return "handled";
    } catch (error) {
      publish({ type: "inbox.failed", error });
      return "store_unavailable";
    } finally {
      deadline.clear();
    }
  }

  return {
    async receive({ kind, key, body }, { receivedAtMilliseconds }) {
      const outcome = await add({ key, body }, receivedAtMilliseconds);
      if (outcome === "handled") publish({ type: "webhook.persisted", kind, key });
      return outcome;
    },
    receiveUnreadable(body, { receivedAtMilliseconds }) {
      const key = createHash("sha256").update(body).digest("hex");
      return add({ key, body: decodeBody(body) }, receivedAtMilliseconds);
    },
  };
}
