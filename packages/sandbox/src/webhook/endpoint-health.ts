import { accountOf, type Service } from "../service/service.ts";
import type { Application, WebhookEndpoint } from "../state/application.ts";
import type { Delivery } from "../state/delivery.ts";
import { isoInstant, newId } from "../state/record.ts";

/** Tells whether the endpoint of a delivery is disabled or was removed. A `callback_url` never is. */
export function isDisabled({ endpoints }: Application, { endpointId }: Delivery): boolean {
  if (endpointId === undefined) return false;
  return endpoints.find(({ id }) => id === endpointId)?.status !== "enabled";
}

/**
 * Records how long an endpoint has been failing. A failed attempt disables an endpoint that has failed continuously for 24
 * hours: the owner gets a mail, and the pending deliveries to the endpoint are recorded as failed. A `callback_url` is not
 * an endpoint and has no health.
 *
 * @see "Retry schedule" of the specification
 */
export function recordHealth(deps: ScheduleDeps, delivery: Delivery, acknowledged: boolean): void {
  const { state, scheduler } = deps;
  const application = state.applications.get(delivery.applicationId);
  const endpoint = application?.endpoints.find(({ id }) => id === delivery.endpointId);
  if (!application || endpoint?.status !== "enabled") return;
  if (acknowledged) {
    if (endpoint.failingSince !== undefined) replaceEndpoint(deps, application, healthy(endpoint));
    return;
  }
  const now = scheduler.now(application.id);
  const failing = { ...endpoint, failingSince: endpoint.failingSince ?? isoInstant(now) };
  const failingMilliseconds = now - Date.parse(failing.failingSince);
  if (failingMilliseconds >= application.settings.disableAfterSeconds * 1000) disable(deps, application, failing);
  else if (endpoint.failingSince === undefined) replaceEndpoint(deps, application, failing);
}

/** Returns the endpoint enabled and without failures. */
export function healthy(endpoint: WebhookEndpoint): WebhookEndpoint {
  return { ...endpoint, status: "enabled", failingSince: undefined };
}

/** Records the pending deliveries to an endpoint as failed and cancels their attempts. */
export function failPendingDeliveries(deps: ScheduleDeps, applicationId: string, endpointId: string): void {
  const { deliveries } = deps.state;
  for (const delivery of deliveries.list(applicationId)) {
    if (delivery.endpointId !== endpointId || delivery.status !== "pending") continue;
    deps.scheduler.cancel(taskId(delivery.id));
    deliveries.put({ ...delivery, status: "failed", nextAttemptAt: undefined });
  }
}

/** Replaces an endpoint of an application by the changed one with the same id. */
export function replaceEndpoint(
  { state }: Pick<ScheduleDeps, "state">,
  application: Application,
  changed: WebhookEndpoint,
): void {
  const endpoints = application.endpoints.map((endpoint) => (endpoint.id === changed.id ? changed : endpoint));
  state.applications.put({ ...application, endpoints });
}

function disable(deps: ScheduleDeps, application: Application, failing: WebhookEndpoint): void {
  const { state, scheduler } = deps;
  replaceEndpoint(deps, application, { ...failing, status: "disabled" });
  failPendingDeliveries(deps, application.id, failing.id);
  state.mails.put({
    id: newId("mail"),
    applicationId: application.id,
    to: accountOf(deps).ownerEmail,
    subject: `Webhook endpoint disabled: ${failing.url}`,
    text:
      `The endpoint ${failing.url} of the application "${application.name}" was disabled, because it has failed ` +
      `continuously since ${failing.failingSince}. Enable it in the portal when it works again.`,
    sentAt: isoInstant(scheduler.now(application.id)),
  });
}

/** The dependencies of the scheduling of attempts. */
export type ScheduleDeps = Pick<Service, "state" | "scheduler">;

/** Schedules the next attempt of a delivery on the clock of its application. */
export function scheduleAttempt({ state, scheduler }: ScheduleDeps, delivery: Delivery, delaySeconds: number): void {
  const { id: deliveryId, applicationId } = delivery;
  const nextAttemptAt = isoInstant(scheduler.now(applicationId) + delaySeconds * 1000);
  state.deliveries.put({ ...delivery, nextAttemptAt });
  scheduler.schedule(applicationId, taskId(deliveryId), delaySeconds * 1000, { kind: "delivery.attempt", deliveryId });
}

/** Cancels the scheduled attempt of a delivery, if there is one. */
export function cancelAttempt({ state, scheduler }: ScheduleDeps, deliveryId: string): void {
  scheduler.cancel(taskId(deliveryId));
  const delivery = state.deliveries.get(deliveryId);
  if (delivery?.nextAttemptAt !== undefined) state.deliveries.put({ ...delivery, nextAttemptAt: undefined });
}

/** Tells whether an attempt of a delivery is scheduled. */
export function isScheduled({ state }: ScheduleDeps, deliveryId: string): boolean {
  return state.scheduledTasks.get(taskId(deliveryId)) !== undefined;
}

function taskId(deliveryId: string): string {
  return `attempt:${deliveryId}`;
}
