import { newId } from "../new-id.ts";
import { SandboxError } from "../sandbox-error.ts";
import type { Service } from "../service/service.ts";
import type { EventName, WebhookEndpoint } from "../state/application.ts";
import { sound, stopDeliveries } from "../webhook/endpoint-health.ts";
import { findApplication } from "./applications.ts";

/**
 * Registers a webhook endpoint with its choice of events.
 *
 * @throws SandboxError `endpoint_taken` when the URL is registered already; `application_unknown`
 * @see "Registration and routing" of the specification
 */
export function addEndpoint(
  service: Service,
  applicationId: string,
  { url, events }: { readonly url: string; readonly events: readonly EventName[] },
): WebhookEndpoint {
  const { endpoints } = findApplication(service, applicationId);
  if (endpoints.some((endpoint) => endpoint.url === url)) {
    throw new SandboxError("endpoint_taken", "This URL is registered already: remove it first.", { field: "url" });
  }
  const endpoint: WebhookEndpoint = { id: newId("end"), url, events, status: "enabled", failingSince: undefined };
  setEndpoints(service, applicationId, [...endpoints, endpoint]);
  return endpoint;
}

/** Removes an endpoint; what is on its way to it is recorded as failed. @throws SandboxError `endpoint_unknown` */
export function removeEndpoint(service: Service, applicationId: string, id: string): void {
  const { id: found } = findEndpoint(service, applicationId, id);
  const { endpoints } = findApplication(service, applicationId);
  setEndpoints(
    service,
    applicationId,
    endpoints.filter((endpoint) => endpoint.id !== found),
  );
  stopDeliveries(service, applicationId, found);
}

/** Changes which events an endpoint gets. @throws SandboxError `endpoint_unknown` */
export function chooseEvents(service: Service, applicationId: string, id: string, events: readonly EventName[]): void {
  replace(service, applicationId, { ...findEndpoint(service, applicationId, id), events });
}

/** Enables an endpoint that was disabled; its failures count anew. @throws SandboxError `endpoint_unknown` */
export function enableEndpoint(service: Service, applicationId: string, id: string): void {
  replace(service, applicationId, sound(findEndpoint(service, applicationId, id)));
}

function findEndpoint(service: Service, applicationId: string, id: string): WebhookEndpoint {
  const endpoint = findApplication(service, applicationId).endpoints.find((candidate) => candidate.id === id);
  if (endpoint) return endpoint;
  throw new SandboxError("endpoint_unknown", "No such endpoint is registered.");
}

function replace(service: Service, applicationId: string, changed: WebhookEndpoint): void {
  const { endpoints } = findApplication(service, applicationId);
  const replaced = endpoints.map((endpoint) => (endpoint.id === changed.id ? changed : endpoint));
  setEndpoints(service, applicationId, replaced);
}

function setEndpoints(service: Service, applicationId: string, endpoints: readonly WebhookEndpoint[]): void {
  service.state.applications.change(applicationId, (application) => ({ ...application, endpoints }));
}
