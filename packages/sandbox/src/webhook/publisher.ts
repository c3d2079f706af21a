import type { AttemptCause, AttemptChanges } from "../state/delivery.ts";
import type { WebhookEvent } from "../wire/events.ts";
import { attemptDelivery, type DeliveryDeps } from "./attempt-delivery.ts";
import { attemptWithChanges } from "./attempt-with-changes.ts";
import { type ConcurrencyLimit, createConcurrencyLimit } from "./concurrency-limit.ts";
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

/** The attempts of one application. */
interface ApplicationAttempts {
  readonly limit: ConcurrencyLimit;
  readonly inProgress: Set<Promise<void>>;
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
  const applications = new Map<string, ApplicationAttempts>();
  const held = createHeldDeliveries();

  const attemptsOf = (applicationId: string) => {
    const attempts = applications.get(applicationId) ?? {
      limit: createConcurrencyLimit(maxConcurrentAttempts),
      inProgress: new Set(),
    };
    applications.set(applicationId, attempts);
    return attempts;
  };
  /** Runs a task within the limit of the application. `settled` waits for it. */
  const track = (applicationId: string, task: () => Promise<void>): Promise<void> => {
    const { limit, inProgress } = attemptsOf(applicationId);
    const run = limit(task).then(() => void inProgress.delete(run));
    inProgress.add(run);
    return run;
  };
  /** `then` runs before the attempt counts as complete, so that `settled` also waits for what it begins. */
  const attempt = (deliveryId: string, cause: AttemptCause, then = () => {}): Promise<void> => {
    const delivery = state.deliveries.get(deliveryId);
    if (!delivery) return Promise.resolve();
    // In the same run of code that removed the scheduled task, so that a process that is killed now finds the delivery
    // pending and without a scheduled attempt, and makes the attempt again.
    if (cause === "schedule") cancelAttempt(deps, deliveryId);
    return track(delivery.applicationId, () => attemptDelivery(deps, deliveryId, cause).then(then));
  };
  /** Only a delivery whose first attempt is still scheduled is held. Any other was sent when its time came. */
  const release = (deliveryId: string) => {
    const isHeld = isScheduled(deps, deliveryId) && state.deliveries.get(deliveryId)?.attempts.length === 0;
    if (isHeld) void attempt(deliveryId, "schedule");
  };

  return {
    publish(event) {
      const overtaken = [...held.take(event.subjectId)];
      for (const { delivery, delaySeconds, reordered } of prepareDeliveries(deps, event)) {
        state.deliveries.put(delivery);
        if (reordered) held.hold(event.subjectId, delivery.id);
        if (delaySeconds > 0) scheduleAttempt(deps, delivery.id, delaySeconds);
        else void attempt(delivery.id, "schedule", () => overtaken.splice(0).forEach(release));
      }
    },
    attempt,
    async attemptWithChanges(deliveryId, changes) {
      const delivery = state.deliveries.get(deliveryId);
      if (delivery) await track(delivery.applicationId, () => attemptWithChanges(deps, deliveryId, changes));
    },
    async settled(applicationId) {
      const { inProgress } = attemptsOf(applicationId);
      while (inProgress.size > 0) await Promise.all(inProgress);
    },
  };
}
