import { hash } from "node:crypto";
import { afterAnswer } from "../util/after-answer.ts";
import { type Clock, createDeadline, type Deadline, waitAtMost } from "../util/clock.ts";
import type { Publish } from "../util/publish.ts";
import type { WebhookDeliveryEvent } from "./delivery-event.ts";
import { decodeBody, type WebhookEvent } from "./event.ts";
import { createHandleOnce } from "./handle-once.ts";
import type { EventDeps, EventOutcome } from "./handlers.ts";
import type { Inbox, InboxEntry } from "./inbox.ts";

/** A receiver of verified deliveries. */
export interface Receiver {
  /**
   * Receives an event. Never rejects, and answers within four seconds of the arrival of the request's first byte, because the service waits
   * for five.
   * @see "Receiver contract" and "Delivery guarantees" of the specification
   */
  receive(event: WebhookEvent, receivedAtMilliseconds: number): Promise<EventOutcome>;
  /** Receives a body that is authentic and no event, as {@link Receiver.receive} receives an event. */
  receiveUnreadable(body: Uint8Array, receivedAtMilliseconds: number): Promise<EventOutcome>;
  /** Begins no further event, and resolves when the events that have begun are done and stored, after 30 seconds at most. */
  close(): Promise<void>;
}

const answerWithinMilliseconds = 4000;
const closeWithinSeconds = 30;

/**
 * Creates the receiver of an app without an inbox. It runs the handler before it answers, unless the event was handled before or something
 * newer was. A handler runs once, and again only after a crash or its own failure. Two events of one message or verification are never
 * handled at the same time, on any process, unless a handler goes on after its `signal` has aborted.
 */
export function createReceiver<Scope>(deps: EventDeps<Scope>): Receiver {
  const { clock, publish } = deps;
  const handleOnce = createHandleOnce(deps);
  const running = new Set<Promise<unknown>>();
  let isClosed = false;

  async function handleInTime(event: WebhookEvent, receivedAtMilliseconds: number): Promise<EventOutcome> {
    // The process that follows this one takes the event.
    if (isClosed) return "superseded";
    if (millisecondsLeft(clock, receivedAtMilliseconds) === 0) return "unfinished";
    const deadline = startDeadline(clock, receivedAtMilliseconds);
    const handling = handleOnce(event, { deadline, replayed: false });
    // A handler that has begun goes on after the answer.
    afterAnswer(handling);
    running.add(handling);
    void handling.finally(() => running.delete(handling));
    try {
      return (await deadline.race(handling)).outcome;
    } catch {
      return "unfinished";
    } finally {
      deadline.clear();
    }
  }

  return {
    async receive(event, receivedAtMilliseconds) {
      const outcome = await handleInTime(event, receivedAtMilliseconds);
      if (outcome === "unfinished") publish({ type: "webhook.unfinished", kind: event.kind, key: event.key });
      return outcome;
    },
    receiveUnreadable: async () => "handled",
    async close() {
      isClosed = true;
      await waitAtMost(clock, closeWithinSeconds, Promise.all(running));
    },
  };
}

/** Creates the receiver of an app with an inbox. It runs no handler; a worker makes a body that is no event a dead letter. */
export function createInboxReceiver(
  inbox: Inbox,
  { clock, publish }: { readonly clock: Clock; readonly publish: Publish<WebhookDeliveryEvent> },
): Receiver {
  async function add(entry: InboxEntry, receivedAtMilliseconds: number): Promise<EventOutcome> {
    const deadline = startDeadline(clock, receivedAtMilliseconds);
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
    async receive({ kind, key, body }, receivedAtMilliseconds) {
      const outcome = await add({ key, body }, receivedAtMilliseconds);
      if (outcome === "handled") publish({ type: "webhook.persisted", kind, key });
      return outcome;
    },
    receiveUnreadable: (body, receivedAtMilliseconds) =>
      add({ key: hash("sha256", body), body: decodeBody(body) }, receivedAtMilliseconds),
    // The service sends again what the inbox has not stored.
    close: async () => undefined,
  };
}

/** Starts the deadline of an answer, out of the five seconds that the service waits. */
function startDeadline(clock: Clock, receivedAtMilliseconds: number): Deadline {
  const seconds = millisecondsLeft(clock, receivedAtMilliseconds) / 1000;
  return createDeadline(clock, seconds, () => new Error("The delivery could not be answered in time."));
}

function millisecondsLeft(clock: Clock, receivedAtMilliseconds: number): number {
  return Math.max(0, receivedAtMilliseconds + answerWithinMilliseconds - clock.now());
}
