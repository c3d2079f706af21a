import { newId } from "../new-id.ts";
import { instantOf } from "../service/instant.ts";
import { accountId } from "../state/account.ts";
import type { Application, WebhookEndpoint } from "../state/application.ts";
import type { Delivery } from "../state/delivery.ts";
import { type PlanParts, takeBackAttempt } from "./plan-attempt.ts";

/** Tells whether a delivery goes to a registered endpoint that is disabled, or is registered no more. */
export function isDisabled({ endpoints }: Application, { endpointId }: Delivery): boolean {
  if (endpointId === undefined) return false;
  return endpoints.find(({ id }) => id === endpointId)?.status !== "enabled";
}

/**
 * Keeps how long an endpoint has been failing. An attempt that fails when it has been failing continuously for 24 hours
 * disables it: the owner gets a mail, and what is still on its way to it is recorded as failed. A `callback_url` is no
 * endpoint and has no health.
 *
 * @see "Retry schedule" of the specification
 */
export function noteAttempt(parts: PlanParts, delivery: Delivery, acknowledged: boolean): void {
  const { state, agenda } = parts;
  const application = state.applications.get(delivery.applicationId);
  const endpoint = application?.endpoints.find(({ id }) => id === delivery.endpointId);
  if (!application || endpoint?.status !== "enabled") return;
  const now = agenda.now(application.id);
  if (acknowledged) {
    if (endpoint.failingSince !== undefined)
      changeEndpoint(parts, application, { ...endpoint, failingSince: undefined });
    return;
  }
  const { failingSince = instantOf(now) } = endpoint;
  const failed = now - Date.parse(failingSince) >= application.settings.disableAfterSeconds * 1000;
  if (failed) disable(parts, application, { ...endpoint, failingSince, status: "disabled" });
  else if (endpoint.failingSince === undefined) changeEndpoint(parts, application, { ...endpoint, failingSince });
}

/** The endpoint as if it had never failed. */
export function sound(endpoint: WebhookEndpoint): WebhookEndpoint {
  return { ...endpoint, status: "enabled", failingSince: undefined };
}

/** Records what is on its way to an endpoint as failed: it gets nothing any more. */
export function stopDeliveries(parts: PlanParts, applicationId: string, endpointId: string): void {
  const { deliveries } = parts.state;
  for (const { id, status, endpointId: destination } of deliveries.list(applicationId)) {
    if (destination !== endpointId || status !== "pending") continue;
    takeBackAttempt(parts, id);
    deliveries.change(id, (delivery) => ({ ...delivery, status: "failed" }));
  }
}

function disable(parts: PlanParts, application: Application, endpoint: WebhookEndpoint): void {
  const { state, agenda } = parts;
  changeEndpoint(parts, application, endpoint);
  stopDeliveries(parts, application.id, endpoint.id);
  state.mails.put({
    id: newId("mail"),
    applicationId: application.id,
    to: state.accounts.get(accountId)?.ownerEmail ?? "",
    subject: `Webhook endpoint disabled: ${endpoint.url}`,
    text:
      `The endpoint ${endpoint.url} of the application "${application.name}" has failed continuously since ` +
      `${endpoint.failingSince} and was disabled. Enable it in the portal once it works again.`,
    sentAt: instantOf(agenda.now(application.id)),
  });
}

function changeEndpoint({ state }: PlanParts, application: Application, changed: WebhookEndpoint): void {
  const endpoints = application.endpoints.map((endpoint) => (endpoint.id === changed.id ? changed : endpoint));
  state.applications.put({ ...application, endpoints });
}
