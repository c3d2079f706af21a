import { afterAnswer } from "../primitives/after-answer.ts";
import { scheduleAfterTurn } from "../primitives/clock.ts";
import type { WebhookEvent } from "./event.ts";
import {
  createEventProcessor,
  type EventDeps,
  type EventOutcome,
  type Processed,
  publishOutcome,
} from "./process-event.ts";

/** A receiver of verified deliveries. */
export interface Receiver {
  /**
   * Receives an event and returns its outcome. Never rejects, and answers within four seconds of
   * `receivedAtMilliseconds`, because the service waits for five.
   *
   * @param options.receivedAtMilliseconds - the arrival of the request's first byte, on the receiver's clock.
   * @see "Receiver contract" and "Delivery guarantees" of the specification
   */
  receive(event: WebhookEvent, options: ReceiveOptions): Promise<EventOutcome>;
  /** Receives a body that is authentic and no event, as {@link Receiver.receive} receives an event. */
  receiveUnreadable(body: Uint8Array, options: ReceiveOptions): Promise<EventOutcome>;
}

/** Options of {@link Receiver.receive}. */
export interface ReceiveOptions {
  readonly receivedAtMilliseconds: number;
}

/** The time within which a delivery is answered, out of the five seconds that the service waits. */
export const answerWithinMilliseconds = 4000;

/**
 * Creates the receiver of an app without an inbox. It runs the handler before it answers, unless the event was handled
 * before or something newer was. Receivers in any number of processes work together over one store.
 *
 * A handler runs once, and again only after a crash or its own failure. Two events of one message or verification are
 * never handled at the same time, unless a handler goes on after its `signal` has aborted.
 */
export function createReceiver<Scope>(deps: EventDeps<Scope>): Receiver {
  const { clock } = deps;
  const process = createEventProcessor(deps);

  return {
    receive(event, { receivedAtMilliseconds }) {
      const deadline = receivedAtMilliseconds + answerWithinMilliseconds;
      const { promise, resolve } = Promise.withResolvers<EventOutcome>();
      const answer = (processed: Processed) => {
        publishOutcome(deps, event, processed);
        resolve(processed.outcome);
      };
      const cancelDeadline = scheduleAfterTurn(clock, deadline - clock.now(), () => answer({ outcome: "unfinished" }));
      const options = { isLate: () => clock.now() >= deadline, late: promise, replayed: false };
      const processing = process(event, options).then((processed) => {
        // The deadline gives this answer. A handler that ends later still publishes its own outcome.
        if (processed.outcome === "unfinished") return;
        cancelDeadline();
        answer(processed);
      });
      afterAnswer(processing);
      return promise;
    },
    async receiveUnreadable() {
      return "handled";
    },
  };
}
