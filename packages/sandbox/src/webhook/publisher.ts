import { fireFaults } from "../fault/fire-faults.ts";
import { oddJson } from "../fault/odd-json.ts";
import { behaviourOf } from "../service/simulated-phone.ts";
import type { Application } from "../state/application.ts";
import type { AttemptCause, AttemptChanges, Delivery } from "../state/delivery.ts";
import { isoInstant, newId } from "../state/record.ts";
import type { WebhookEvent } from "../wire/events.ts";
import { type AttemptQueue, createAttemptQueue, type QueuedAttempt } from "./attempt-queue.ts";
import { attemptDelivery, attemptWithChanges, type DeliveryDeps } from "./attempts.ts";
import { cancelAttempt, isScheduled, type ScheduleDeps, scheduleAttempt } from "./endpoint-health.ts";

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

/** Deliveries that are held back until the next event of the same message or verification was sent. */
interface HeldDeliveries {
  hold(subjectId: string, deliveryId: string): void;
  take(subjectId: string): readonly string[];
}

/** Creates an empty list of held deliveries. Each also has a scheduled attempt, in case that no further event comes. */
function createHeldDeliveries(): HeldDeliveries {
  const held = new Map<string, string[]>();
  return {
    hold(subjectId, deliveryId) {
      held.set(subjectId, [...(held.get(subjectId) ?? []), deliveryId]);
    },
    take(subjectId) {
      const deliveryIds = held.get(subjectId) ?? [];
      held.delete(subjectId);
      return deliveryIds;
    },
  };
}

/** A delivery before its first attempt. */
interface PreparedDelivery {
  readonly delivery: Delivery;
  readonly delaySeconds: number;
  readonly reordered: boolean;
}

/** Time for which an event is held back when no further event follows. */
const maxHeldSeconds = 10;

/** Creates a delivery for each destination of an event, and applies the faults on the event. */
function prepareDeliveries(deps: ScheduleDeps, event: WebhookEvent): readonly PreparedDelivery[] {
  const application = deps.state.applications.get(event.applicationId);
  if (!application) return [];
  return destinationsOf(event, application).map((destination) =>
    applyFaults(deps, application, createDelivery(deps, event, destination)),
  );
}

type Destination = Pick<Delivery, "endpointId" | "url">;

/** A `callback_url` replaces the endpoints. Otherwise each enabled endpoint that wants the event gets it. */
function destinationsOf({ callbackUrl, event }: WebhookEvent, application: Application): Destination[] {
  if (callbackUrl !== undefined) return [{ endpointId: undefined, url: callbackUrl }];
  return application.endpoints
    .filter(({ events, status }) => events.includes(event) && status === "enabled")
    .map(({ id, url }) => ({ endpointId: id, url }));
}

function createDelivery({ scheduler }: ScheduleDeps, event: WebhookEvent, destination: Destination): Delivery {
  const { callbackUrl: _, ...members } = event;
  return {
    ...members,
    ...destination,
    id: newId("dlv"),
    status: "pending",
    createdAt: isoInstant(scheduler.now(event.applicationId)),
    attempts: [],
    nextAttemptAt: undefined,
  };
}

function applyFaults(
  { state, scheduler }: ScheduleDeps,
  application: Application,
  delivery: Delivery,
): PreparedDelivery {
  const { applicationId, event, subjectId, recipient, eventStatus, id: deliveryId } = delivery;
  const actions = fireFaults(state, {
    ...{ applicationId, scope: "event", on: event, to: [recipient], eventStatus, subjectId, deliveryId },
    atMilliseconds: scheduler.now(applicationId),
  });
  const isReorderingNumber = behaviourOf(recipient, application.behaviours) === "reordered_events";
  const reordered =
    (isReorderingNumber && eventStatus.endsWith("SENT")) || actions.some(({ type }) => type === "reorder");
  const delays = actions.map((action) => (action.type === "delay" ? action.seconds : 0));
  const isOdd = actions.some(({ type }) => type === "odd_json");
  return {
    delivery: isOdd ? { ...delivery, payload: oddJson(delivery.payload) } : delivery,
    delaySeconds: Math.max(reordered ? maxHeldSeconds : 0, ...delays),
    reordered,
  };
}
