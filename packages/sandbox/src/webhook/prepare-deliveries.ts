import { fireFaults } from "../fault/fire-faults.ts";
import { oddJson } from "../fault/odd-json.ts";
import { newId } from "../primitives/new-id.ts";
import { isoInstant } from "../primitives/time.ts";
import { behaviourOf } from "../service/simulated-phone.ts";
import type { Application } from "../state/application.ts";
import type { Delivery } from "../state/delivery.ts";
import type { WebhookEvent } from "../wire/events.ts";
import type { ScheduleDeps } from "./schedule-attempt.ts";

/** A delivery before its first attempt. */
export interface PreparedDelivery {
  /** The delivery without attempts. */
  readonly delivery: Delivery;
  /** Delay of the first attempt, on the application's clock. */
  readonly delaySeconds: number;
  /** True when it must arrive after the next event of the same message or verification. */
  readonly reordered: boolean;
}

/** Time for which an event is held back when no further event follows. */
const maxHeldSeconds = 10;

/** Creates a delivery for each destination of an event, and applies the faults on the event. */
export function prepareDeliveries(deps: ScheduleDeps, event: WebhookEvent): readonly PreparedDelivery[] {
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
