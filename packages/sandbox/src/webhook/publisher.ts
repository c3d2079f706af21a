import type { AttemptCause } from "../state/delivery.ts";
import type { WebhookEvent } from "../wire/events.ts";
import { attemptDelivery, type DeliveryParts } from "./attempt-delivery.ts";
import { createGate, type Gate } from "./gate.ts";
import { createHeldDeliveries } from "./held-deliveries.ts";
import { isPlanned, planAttempt, takeBackAttempt } from "./plan-attempt.ts";
import { prepareDeliveries } from "./prepare-deliveries.ts";

/** Brings events to webhook endpoints. */
export interface Publisher {
  /** Begins the delivery of an event to each of its destinations. */
  publish(event: WebhookEvent): void;
  /** Makes an attempt now, whatever the schedule says. Resolves when it is recorded. */
  attempt(deliveryId: string, cause: AttemptCause): Promise<void>;
  /** Resolves when no attempt of the application is under way; what waits for its time is not under way. */
  settled(applicationId: string): Promise<void>;
}

/** The attempts of one application. */
interface Lane {
  readonly gate: Gate;
  readonly underWay: Set<Promise<void>>;
}

/** Attempts of one application that run at the same time; the others wait for their turn. */
const concurrency = 32;

/**
 * Creates the publisher: at most one attempt more than there are retry delays, each with a fresh timestamp and signature
 * and the same bytes; after the last the delivery is recorded as failed.
 *
 * @see "Registration and routing" and "Retry schedule" of the specification
 */
export function createPublisher(parts: DeliveryParts): Publisher {
  const { state } = parts;
  const lanes = new Map<string, Lane>();
  const held = createHeldDeliveries();

  const laneOf = (applicationId: string) => {
    const lane = lanes.get(applicationId) ?? { gate: createGate(concurrency), underWay: new Set() };
    lanes.set(applicationId, lane);
    return lane;
  };
  /** What comes `afterwards` begins before this attempt counts as over: nobody finds all settled in between. */
  const attempt = (deliveryId: string, cause: AttemptCause, afterwards = () => {}): Promise<void> => {
    const delivery = state.deliveries.get(deliveryId);
    if (!delivery) return Promise.resolve();
    // In the same run of code that took the plan: whoever is killed now finds a delivery that is neither planned nor over.
    if (cause === "schedule") takeBackAttempt(parts, deliveryId);
    const { gate, underWay } = laneOf(delivery.applicationId);
    const run = gate(() => attemptDelivery(parts, deliveryId, cause)).then(() => {
      afterwards();
      underWay.delete(run);
    });
    underWay.add(run);
    return run;
  };
  /** What is planned for the first time is still held; anything else went its way when its own time came. */
  const release = (deliveryId: string) => {
    const isHeld = isPlanned(parts, deliveryId) && state.deliveries.get(deliveryId)?.attempts.length === 0;
    if (isHeld) void attempt(deliveryId, "schedule");
  };

  return {
    publish(event) {
      const overtaken = [...held.take(event.subjectId)];
      for (const { delivery, waitSeconds, reorders } of prepareDeliveries(parts, event)) {
        state.deliveries.put(delivery);
        if (reorders) held.hold(event.subjectId, delivery.id);
        if (waitSeconds > 0) planAttempt(parts, delivery.id, waitSeconds);
        else void attempt(delivery.id, "schedule", () => overtaken.splice(0).forEach(release));
      }
    },
    attempt,
    async settled(applicationId) {
      const { underWay } = laneOf(applicationId);
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
