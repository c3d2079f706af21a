import { afterAnswer } from "../util/after-answer.ts";
import { scheduleAfterTurn } from "../util/clock.ts";
import type { WebhookEvent } from "./event.ts";
import type { EventDeps, EventOutcome, Processed, ProcessOptions } from "./event-processing.ts";
import { createEventProcessor, publishOutcome } from "./process-event.ts";

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
  const process = createEventProcessor(deps);

  return {
    receive(event, { receivedAtMilliseconds }) {
      const answer = new TimelyAnswer(deps, event, receivedAtMilliseconds + answerWithinMilliseconds);
      afterAnswer(process(event, answer).then((processed) => answer.give(processed)));
      return answer.late;
    },
    async receiveUnreadable() {
      return "handled";
    },
  };
}

/** The answer to a delivery: the outcome of its event, or at the deadline "unfinished". */
class TimelyAnswer implements ProcessOptions {
  /** Resolves with the answer. */
  readonly late: Promise<EventOutcome>;
  readonly replayed = false;
  readonly #resolve: (outcome: EventOutcome) => void;
  readonly #deps: Pick<EventDeps, "clock" | "publish">;
  readonly #event: WebhookEvent;
  readonly #deadline: number;
  readonly #cancelDeadline: () => void;

  constructor(deps: Pick<EventDeps, "clock" | "publish">, event: WebhookEvent, deadline: number) {
    const { promise, resolve } = Promise.withResolvers<EventOutcome>();
    this.late = promise;
    this.#resolve = resolve;
    this.#deps = deps;
    this.#event = event;
    this.#deadline = deadline;
    const giveUp = () => this.#publishAndResolve({ outcome: "unfinished" });
    const now = deps.clock.now();
    this.#cancelDeadline = scheduleAfterTurn(deps.clock, deadline - now, giveUp, now);
  }

  isLate(): boolean {
    return this.#deps.clock.now() >= this.#deadline;
  }

  /** A handler that ends after the deadline still publishes its own outcome. */
  give(processed: Processed): void {
    // The deadline gives this answer.
    if (processed.outcome === "unfinished") return;
    this.#cancelDeadline();
    this.#publishAndResolve(processed);
  }

  #publishAndResolve(processed: Processed): void {
    publishOutcome(this.#deps, this.#event, processed);
    this.#resolve(processed.outcome);
  }
}
