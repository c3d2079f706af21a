import { Misuse } from "../misuse.ts";
import { findApplication } from "../portal/applications.ts";
import { endpointUrlFault } from "../portal/endpoint-url.ts";
import { addEndpoint, chooseEvents, enableEndpoint, removeEndpoint } from "../portal/endpoints.ts";
import type { Service } from "../service/service.ts";
import { type EventName, eventNames, type WebhookEndpoint } from "../state/application.ts";
import type { FetchHandler, Transport } from "../webhook/transport.ts";

/** An endpoint to be registered. */
export interface EndpointToAdd {
  /** A URL on this machine, or a handler that is called in this process. */
  readonly target: string | FetchHandler;
  /** Which events it gets; both when left out. */
  readonly events?: readonly EventName[] | undefined;
}

/** The webhook endpoints of an application. */
export interface Endpoints {
  list(): readonly WebhookEndpoint[];
  /**
   * Registers an endpoint.
   *
   * @throws SandboxError `endpoint_taken` when the URL is registered already
   * @throws TypeError when the URL is none the sandbox may call, or an event is none
   */
  add(endpoint: EndpointToAdd): WebhookEndpoint;
  /**
   * Makes an endpoint the only one. One that has this URL already is kept, with what is on its way to it. It fails as `add`
   * does, and then nothing has changed.
   */
  replaceAll(endpoint: EndpointToAdd): WebhookEndpoint;
  /** Removes an endpoint; what is on its way to it fails. @throws SandboxError `endpoint_unknown` */
  remove(id: string): void;
  /** Enables an endpoint that was disabled. @throws SandboxError `endpoint_unknown` */
  enable(id: string): void;
  /** Changes which events an endpoint gets. @throws SandboxError `endpoint_unknown` */
  chooseEvents(id: string, events: readonly EventName[]): void;
}

/** What {@link Endpoints} stand on. */
export interface EndpointParts {
  readonly service: Service;
  readonly transport: Transport;
  readonly allowRemoteWebhooks: boolean;
}

/** Creates the endpoints of an application over the state. */
export function createEndpoints(parts: EndpointParts, applicationId: string): Endpoints {
  const { service, transport } = parts;
  const list = () => findApplication(service, applicationId).endpoints;
  const remove = (id: string) => removeEndpoint(service, applicationId, id);
  const parse = ({ target, events = eventNames }: EndpointToAdd) => {
    requireEvents(events);
    if (typeof target === "function") return { url: transport.register(target), events };
    return { url: requireUrl(parts, applicationId, target), events: [...new Set(events)] };
  };

  return {
    list,
    add: (endpoint) => addEndpoint(service, applicationId, parse(endpoint)),
    replaceAll(endpoint) {
      const { url, events } = parse(endpoint);
      for (const other of list()) if (other.url !== url) remove(other.id);
      const [kept] = list();
      if (!kept) return addEndpoint(service, applicationId, { url, events });
      chooseEvents(service, applicationId, kept.id, events);
      return kept;
    },
    remove,
    enable: (id) => enableEndpoint(service, applicationId, id),
    chooseEvents(id, events) {
      requireEvents(events);
      chooseEvents(service, applicationId, id, events);
    },
  };
}

function requireEvents(events: readonly EventName[]): void {
  if (events.length > 0 && events.every((name) => eventNames.includes(name))) return;
  throw new Misuse("endpoints", "events", `expected ${eventNames.join(" or ")}`);
}

function requireUrl({ service, allowRemoteWebhooks }: EndpointParts, applicationId: string, url: unknown): string {
  if (typeof url !== "string") throw new Misuse("endpoints", "target", "expected a URL or a handler");
  const fault = endpointUrlFault(findApplication(service, applicationId), url, allowRemoteWebhooks);
  if (fault === undefined) return url;
  throw new Misuse("endpoints", "url", fault);
}
