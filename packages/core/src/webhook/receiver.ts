import type { WebhookEvent } from "./event.ts";
import { type EventWork, processEvent, type ReceiveOutcome, type ReceiverParts } from "./process-event.ts";
import { createTurns } from "./turns.ts";

/** Turns deliveries, which repeat and arrive out of order, into handler calls that do neither. */
export interface Receiver {
  /**
   * Runs the handler of an event, unless that was done before or something newer was, and tells what became of it. Never
   * rejects, and answers within four seconds of `receivedAtMilliseconds`: the service waits for five.
   *
   * A handler runs once, and again only around a crash or its own failure. Two events of one message or verification
   * are never handled at the same time, unless a handler goes on after its `signal` aborted.
   *
   * @param options.receivedAtMilliseconds - when the first byte of the request came, on the receiver's clock.
   * @see "Receiver contract" and "Delivery guarantees" of the specification
   */
  receive(event: WebhookEvent, options: { readonly receivedAtMilliseconds: number }): Promise<ReceiveOutcome>;
}

const answerWithinMilliseconds = 4000;

/** Creates the receiver of an app. Several, in as many processes, work together over one store. */
export function createReceiver(parts: ReceiverParts): Receiver {
  const { clock, publish } = parts;
  const work: EventWork = { ...parts, handlers: Object.freeze({ ...parts.handlers }), turns: createTurns() };

  function report(event: WebhookEvent, outcome: ReceiveOutcome): void {
    // These two were told where they happened, with their error.
    if (outcome === "failed" || outcome === "store_unavailable") return;
    publish({ type: `webhook.${outcome}`, kind: event.kind, key: event.key });
  }

  return {
    receive(event, { receivedAtMilliseconds }) {
      const deadline = receivedAtMilliseconds + answerWithinMilliseconds;
      const { promise, resolve } = Promise.withResolvers<ReceiveOutcome>();
      const answer = (outcome: ReceiveOutcome) => {
        report(event, outcome);
        resolve(outcome);
      };
      const cancelDeadline = clock.schedule(deadline - clock.now(), () => answer("unfinished"));
      void processEvent(work, event, () => clock.now() >= deadline).then((outcome) => {
        if (outcome === "unfinished") return;
        cancelDeadline();
        answer(outcome);
      });
      return promise;
    },
  };
}
