import { deliveryTarget, fireFaults, oddJson } from "../fault/fire-faults.ts";
import { behaviourOf } from "../service/simulated-phone.ts";
import type { Application } from "../state/application.ts";
import type { AttemptCause, AttemptChanges, Delivery } from "../state/delivery.ts";
import { isoInstant, newId } from "../state/record.ts";
import type { WebhookEvent } from "../wire/events.ts";
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
  const queues = new Map<string, ReturnType<typeof createAttemptQueue>>();
  /** The deliveries that wait for the next event of their message or verification. Each also has a scheduled attempt. */
  const held = new Map<string, string[]>();

  const queueOf = (applicationId: string) => {
    const queue = queues.get(applicationId) ?? createAttemptQueue(maxConcurrentAttempts);
    queues.set(applicationId, queue);
    return queue;
  };
  const attempt = async (id: string, cause: AttemptCause, recorded = () => {}) => {
    const delivery = state.deliveries.get(id);
    if (!delivery) return recorded();
    // In the same run of code that removed the scheduled task, so that a process that is killed now finds the delivery
    // pending and without a scheduled attempt, and makes the attempt again.
    if (cause === "schedule") cancelAttempt(deps, id);
    await queueOf(delivery.applicationId).add(async () => {
      await attemptDelivery(deps, id, cause);
      recorded();
    });
  };
  /** Only a delivery whose first attempt is still scheduled is held. Any other was sent when its time came. */
  const release = (id: string) => {
    const isHeld = isScheduled(deps, id) && state.deliveries.get(id)?.attempts.length === 0;
    if (isHeld) void attempt(id, "schedule");
  };

  return {
    publish(event) {
      const { subjectId } = event;
      const overtaken = held.get(subjectId) ?? [];
      held.delete(subjectId);
      for (const { delivery, delaySeconds, reordered } of prepareDeliveries(deps, event)) {
        const { id } = delivery;
        state.deliveries.put(delivery);
        if (reordered) held.set(subjectId, [...(held.get(subjectId) ?? []), id]);
        if (delaySeconds > 0) scheduleAttempt(deps, delivery, delaySeconds);
        else void attempt(id, "schedule", () => overtaken.splice(0).forEach(release));
      }
    },
    attempt: (id, cause) => attempt(id, cause),
    async attemptWithChanges(id, changes) {
      const applicationId = state.deliveries.get(id)?.applicationId;
      if (applicationId === undefined) return;
      await queueOf(applicationId).add(() => attemptWithChanges(deps, id, changes));
    },
    settled: async (applicationId) => queueOf(applicationId).settled(),
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
  const eventId = newId("evt");
  return destinationsOf(event, application).map((destination) =>
    applyFaults(deps, application, createDelivery(deps, event, { ...destination, eventId })),
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

function createDelivery(
  { scheduler }: ScheduleDeps,
  event: WebhookEvent,
  destination: Destination & Pick<Delivery, "eventId">,
): Delivery {
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
  const { recipient, eventStatus } = delivery;
  const atMilliseconds = scheduler.now(application.id);
  const actions = fireFaults(state, { ...deliveryTarget(delivery), scope: "event", atMilliseconds });
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

/**
 * Creates an empty queue of attempts, which start in the order in which they were added. A waiting attempt has not started, so its own time
 * limit has not either.
 */
function createAttemptQueue(maxConcurrent: number) {
  const waiting: (() => Promise<void>)[] = [];
  let running = 0;
  let idle = Promise.withResolvers<void>();

  const startNext = () => {
    while (running < maxConcurrent) {
      const make = waiting.shift();
      if (!make) break;
      running++;
      void make().finally(() => {
        running--;
        startNext();
      });
    }
    if (running > 0) return;
    idle.resolve();
    idle = Promise.withResolvers();
  };

  return {
    /** Makes an attempt after those that wait, and after the present run of code. Resolves when it is complete. */
    add(make: () => Promise<void>): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push(() => make().then(resolve, reject));
      queueMicrotask(startNext);
      return promise;
    },
    /** Resolves when none is waiting or in progress. */
    async settled(): Promise<void> {
      while (running > 0 || waiting.length > 0) await idle.promise;
    },
  };
}
