import { oddJson } from "../fault/odd-json.ts";
import { takeFaults } from "../fault/take-faults.ts";
import { newId } from "../new-id.ts";
import { behaviourOf } from "../service/handset.ts";
import { instantOf } from "../service/instant.ts";
import type { Application } from "../state/application.ts";
import type { Delivery } from "../state/delivery.ts";
import type { WebhookEvent } from "../wire/events.ts";
import type { PlanParts } from "./plan-attempt.ts";

/** A delivery before its first attempt. */
export interface PreparedDelivery {
  readonly delivery: Delivery;
  /** Until the first attempt, on the application's clock. */
  readonly waitSeconds: number;
  /** It is to arrive after the next event of the same message or verification. */
  readonly reorders: boolean;
}

/** How long an event is held back that is to arrive after the next one, when no next one comes. */
const heldSeconds = 10;

/** Makes a delivery for each destination of an event, with what the faults that are on make of it. */
export function prepareDeliveries(parts: PlanParts, event: WebhookEvent): readonly PreparedDelivery[] {
  const application = parts.state.applications.get(event.applicationId);
  if (!application) return [];
  return destinations(parts, event, application).map((destination) => {
    const delivery = newDelivery(parts, event, destination);
    return applyFaults(parts, application, delivery);
  });
}

type Destination = Pick<Delivery, "endpointId" | "url">;

/** A request's `callback_url`, else the application's endpoints that want the event and are enabled, else none. */
function destinations(
  { state }: PlanParts,
  { requestId, event }: WebhookEvent,
  application: Application,
): Destination[] {
  const callbackUrl = state.requests.get(requestId)?.callbackUrl;
  if (callbackUrl !== undefined) return [{ endpointId: undefined, url: callbackUrl }];
  return application.endpoints
    .filter(({ events, status }) => events.includes(event) && status === "enabled")
    .map(({ id, url }) => ({ endpointId: id, url }));
}

function newDelivery({ agenda }: PlanParts, event: WebhookEvent, destination: Destination): Delivery {
  const { requestId: _, ...told } = event;
  return {
    ...told,
    ...destination,
    id: newId("dlv"),
    status: "pending",
    createdAt: instantOf(agenda.now(event.applicationId)),
    attempts: [],
    nextAttemptAt: undefined,
  };
}

function applyFaults({ state, agenda }: PlanParts, application: Application, delivery: Delivery): PreparedDelivery {
  const { applicationId, event, subjectId, recipient, told, id: deliveryId } = delivery;
  const actions = takeFaults(state, {
    ...{ applicationId, scope: "event", on: event, to: [recipient], told, subjectId, deliveryId },
    atMilliseconds: agenda.now(applicationId),
  });
  const reordersNumber = behaviourOf(recipient, application.behaviours) === "reordered_events" && told.endsWith("SENT");
  const reorders = reordersNumber || actions.some(({ type }) => type === "reorder");
  const delays = actions.map((action) => (action.type === "delay" ? action.seconds : 0));
  const isOdd = actions.some(({ type }) => type === "odd_json");
  return {
    delivery: isOdd ? { ...delivery, payload: oddJson(delivery.payload) } : delivery,
    waitSeconds: Math.max(reorders ? heldSeconds : 0, ...delays),
    reorders,
  };
}
