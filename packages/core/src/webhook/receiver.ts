import type { WebhookEvent } from "./event.ts";
import { type EventWork, processEvent, type ReceiveOutcome, type ReceiverParts } from "./process-event.ts";
import { createTurns } from "./turns.ts";

/** Takes verified deliveries, and tells what to answer. */
export interface Receiver {
  /**
   * Takes an event, and tells what became of it. Never rejects, and answers within four seconds of
   * `receivedAtMilliseconds`: the service waits for five.
   *
   * @param options.receivedAtMilliseconds - when the first byte of the request came, on the receiver's clock.
   * @see "Receiver contract" and "Delivery guarantees" of the specification
   */
  receive(event: WebhookEvent, options: ReceiveOptions): Promise<ReceiveOutcome>;
  /** Takes a body that is authentic and no event, as {@link Receiver.receive} takes an event. */
  receiveUnreadable(body: Uint8Array, options: ReceiveOptions): Promise<ReceiveOutcome>;
}

/** When a delivery came. */
export interface ReceiveOptions {
  readonly receivedAtMilliseconds: number;
}

/** How long the service is kept waiting at most, of the five seconds that it waits. */
export const answerWithinMilliseconds = 4000;

/**
 * Creates the receiver of an app without an inbox: it runs the handler of an event before it answers, unless that was done
 * before or something newer was. Several, in as many processes, work together over one store.
 *
 * A handler runs once, and again only around a crash or its own failure. Two events of one message or verification
 * are never handled at the same time, unless a handler goes on after its `signal` aborted.
 */
export function createReceiver<Scope>(parts: ReceiverParts<Scope>): Receiver {
  const { clock, publish } = parts;
  const work: EventWork<Scope> = { ...parts, handlers: Object.freeze({ ...parts.handlers }), turns: createTurns() };

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
      const processing = { isLate: () => clock.now() >= deadline, late: promise, replayed: false };
      void processEvent(work, event, processing).then(({ outcome }) => {
        if (outcome === "unfinished") return;
        cancelDeadline();
        answer(outcome);
      });
      return promise;
    },
    async receiveUnreadable() {
      return "handled";
    },
  };
}
