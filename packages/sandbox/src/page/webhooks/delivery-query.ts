import type { Application, WebhookEndpoint } from "../../state/application.ts";
import type { Delivery } from "../../state/delivery.ts";
import type { Firing } from "../../state/fault.ts";
import type { State } from "../../state/state.ts";
import { type Page, pageOf } from "../components/paging.ts";

const maxDeliveries = 50;

/** The query of the list of deliveries, from its URL. */
export interface DeliveryQuery {
  /** Text to find in numbers, event statuses, events and URLs. */
  readonly search: string;
  /** Shows only deliveries with this status; empty for all. */
  readonly status: string;
  /** Cursor of the page. */
  readonly before: string | undefined;
}

/** The content of the list of deliveries. */
export interface DeliveriesResult {
  /** The application. */
  readonly applicationId: string;
  /** The query that was answered. */
  readonly query: DeliveryQuery;
  /** The endpoints of the application. */
  readonly endpoints: readonly WebhookEndpoint[];
  /** Number of deliveries of the application. */
  readonly total: number;
  /** Number of failed deliveries of the application. */
  readonly failed: number;
  /** The matching deliveries, the newest first. */
  readonly page: Page<Delivery>;
}

/** The records that the pages of deliveries read. */
export type DeliverySource = Pick<State, "deliveries" | "firings">;

/** Selects deliveries of an application, the newest first. */
export function queryDeliveries(
  state: DeliverySource,
  { id, endpoints }: Application,
  query: DeliveryQuery,
): DeliveriesResult {
  const matching = state.deliveries
    .list(id)
    .filter((delivery) => matches(delivery, query))
    .reverse();
  return {
    applicationId: id,
    query,
    endpoints,
    total: state.deliveries.count(id),
    failed: countFailed(state, id),
    page: pageOf(matching, (delivery) => delivery.id, maxDeliveries, query.before),
  };
}

/** Counts the failed deliveries of an application. */
export function countFailed({ deliveries }: DeliverySource, applicationId: string): number {
  return deliveries.list(applicationId).filter(({ status }) => status === "failed").length;
}

function matches({ recipient, eventStatus, url, event, status }: Delivery, query: DeliveryQuery): boolean {
  if (query.status !== "" && status !== query.status) return false;
  const wanted = query.search.toLowerCase();
  return [recipient, eventStatus, url, event].some((text) => text.toLowerCase().includes(wanted));
}

/** A delivery and its related records. */
export interface DeliveryResult {
  /** The delivery. */
  readonly delivery: Delivery;
  /** The firings of faults on it, the newest first. */
  readonly firings: readonly Firing[];
  /** Number of attempts in the retry schedule. */
  readonly maxAttempts: number;
}

/** Finds a delivery of an application and its related records; undefined when there is none with this id. */
export function findDelivery(state: DeliverySource, application: Application, id: string): DeliveryResult | undefined {
  const delivery = state.deliveries.get(id);
  if (delivery?.applicationId !== application.id) return undefined;
  return {
    delivery,
    firings: state.firings
      .list(application.id)
      .filter(({ deliveryId }) => deliveryId === id)
      .reverse(),
    maxAttempts: application.settings.webhookRetryDelaysSeconds.length + 1,
  };
}
