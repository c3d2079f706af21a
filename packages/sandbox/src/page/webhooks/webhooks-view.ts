import type { WebhookEndpoint } from "../../state/application.ts";
import type { Delivery } from "../../state/delivery.ts";
import type { Firing } from "../../state/fault.ts";
import type { State } from "../../state/state.ts";
import { filtered, type Paged, pageOf } from "../paging.ts";

const deliveriesShown = 50;

/** Which deliveries are shown. */
export interface DeliveryFilter {
  /** Searched in numbers, told statuses and URLs. */
  readonly search: string;
  /** Empty for all. */
  readonly status: string;
  readonly before: string | undefined;
}

/** What the list of deliveries shows. */
export interface WebhooksView {
  readonly applicationId: string;
  readonly filter: DeliveryFilter;
  readonly endpoints: readonly WebhookEndpoint[];
  readonly total: number;
  readonly failed: number;
  readonly page: Paged<Delivery>;
}

/** Where deliveries are read from. */
export type WebhookSource = Pick<State, "applications" | "deliveries" | "firings">;

/** Picks the deliveries of an application, the newest first. */
export function webhooksView(state: WebhookSource, applicationId: string, filter: DeliveryFilter): WebhooksView {
  const all = () => state.deliveries.newestFirst(applicationId);
  return {
    applicationId,
    filter,
    endpoints: state.applications.get(applicationId)?.endpoints ?? [],
    total: state.deliveries.count(applicationId),
    failed: [...filtered(all(), ({ status }) => status === "failed")].length,
    page: pageOf(
      () => filtered(all(), (delivery) => isShown(delivery, filter)),
      ({ id }) => id,
      deliveriesShown,
      filter.before,
    ),
  };
}

function isShown({ status, recipient, told, url, event }: Delivery, filter: DeliveryFilter): boolean {
  if (filter.status !== "" && status !== filter.status) return false;
  const wanted = filter.search.toLowerCase();
  return [recipient, told, url, event].some((text) => text.toLowerCase().includes(wanted));
}

/** What the page of one delivery shows. */
export interface DeliveryView {
  readonly delivery: Delivery;
  readonly firings: readonly Firing[];
  /** Attempts that the schedule makes. */
  readonly scheduled: number;
}

/** Gathers all that belongs to a delivery; undefined when the application has none of this id. */
export function deliveryView(state: WebhookSource, applicationId: string, id: string): DeliveryView | undefined {
  const delivery = state.deliveries.get(id);
  if (delivery?.applicationId !== applicationId) return undefined;
  const delays = state.applications.get(applicationId)?.settings.webhookRetryDelaysSeconds ?? [];
  return {
    delivery,
    firings: [...filtered(state.firings.newestFirst(applicationId), ({ deliveryId }) => deliveryId === id)],
    scheduled: delays.length + 1,
  };
}
