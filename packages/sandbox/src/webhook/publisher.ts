import type { AttemptCause, AttemptChanges } from "../state/delivery.ts";
import type { WebhookEvent } from "../wire/events.ts";
import { attemptDelivery, type DeliveryDeps } from "./attempt-delivery.ts";
import { type AttemptQueue, createAttemptQueue, type QueuedAttempt } from "./attempt-queue.ts";
import { attemptWithChanges } from "./attempt-with-changes.ts";
import { createHeldDeliveries } from "./held-deliveries.ts";
import { prepareDeliveries } from "./prepare-deliveries.ts";
import { cancelAttempt, isScheduled, scheduleAttempt } from "./schedule-attempt.ts";

/** Delivers events to webhook endpoints. */
export interface Publisher {
  /** Begins the delivery of an event to each of its destinations. */
  publish(event: WebhookEvent): void;
  /** Makes an attempt now. Resolves when it is recorded. */
  attempt(deliveryId: string, cause: AttemptCause): Promise<void>;
  /** Makes an attempt with changes now. Resolves when it is recorded. */
  attemptWithChanges(deliveryId: string, changes: AttemptChanges): Promise<void>;
  /** Resolves when no attempt of the application is in progress. Scheduled attempts are not in progress. */
  settled(applicationId: string): Promise<void>;
}

/** Attempts of one application that run at the same time. The others wait in a queue. */
const maxConcurrentAttempts = 32;

/**
 * Creates the publisher. A delivery has one attempt more than there are retry delays. Each attempt has the same bytes, a
 * new timestamp and a new signature. After the last one the delivery is recorded as failed.
 *
 * @see "Registration and routing" and "Retry schedule" of the specification
 */
export function createPublisher(deps: DeliveryDeps): Publisher {
  const { state } = deps;
  const queues = new Map<string, AttemptQueue>();
  const held = createHeldDeliveries();

  const make = ({ deliveryId, cause, changes }: QueuedAttempt) =>
    changes ? attemptWithChanges(deps, deliveryId, changes) : attemptDelivery(deps, deliveryId, cause);
  const queueOf = (applicationId: string) => {
    const queue = queues.get(applicationId) ?? createAttemptQueue(maxConcurrentAttempts, make);
    queues.set(applicationId, queue);
    return queue;
  };
  const enqueue = (attempt: QueuedAttempt) => {
    const { deliveryId, cause } = attempt;
    const delivery = state.deliveries.get(deliveryId);
    if (!delivery) return attempt.recorded?.();
    // In the same run of code that removed the scheduled task, so that a process that is killed now finds the delivery
    // pending and without a scheduled attempt, and makes the attempt again.
    if (cause === "schedule") cancelAttempt(deps, deliveryId);
    queueOf(delivery.applicationId).add(attempt);
  };
  const enqueueAndWait = (attempt: QueuedAttempt) =>
    new Promise<void>((recorded, failed) => enqueue({ ...attempt, recorded, failed }));
  /** Only a delivery whose first attempt is still scheduled is held. Any other was sent when its time came. */
  const release = (deliveryId: string) => {
    const isHeld = isScheduled(deps, deliveryId) && state.deliveries.get(deliveryId)?.attempts.length === 0;
    if (isHeld) enqueue({ deliveryId, cause: "schedule" });
  };
  const releaseAfter = (overtaken: string[]) =>
    overtaken.length > 0 && { recorded: () => overtaken.splice(0).forEach(release) };

  return {
    publish(event) {
      const overtaken = [...held.take(event.subjectId)];
      for (const { delivery, delaySeconds, reordered } of prepareDeliveries(deps, event)) {
        const { id } = delivery;
        state.deliveries.put(delivery);
        if (reordered) held.hold(event.subjectId, id);
        if (delaySeconds > 0) scheduleAttempt(deps, id, delaySeconds);
        else enqueue({ deliveryId: id, cause: "schedule", ...releaseAfter(overtaken) });
      }
    },
    attempt: (deliveryId, cause) => enqueueAndWait({ deliveryId, cause }),
    attemptWithChanges: (deliveryId, changes) => enqueueAndWait({ deliveryId, cause: "send_changed", changes }),
    settled: async (applicationId) => queueOf(applicationId).settled(),
  };
}
