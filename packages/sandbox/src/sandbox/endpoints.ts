import { checkEndpoint, type Finding } from "@doorcode/cli/endpoint-check";
import { z } from "zod";
import { parse, SandboxError, UsageError } from "../primitives/errors.ts";
import { isLoopbackUrl } from "../primitives/loopback.ts";
import { findApplication, type Service } from "../service/service.ts";
import { type Application, type EventName, eventNames, type WebhookEndpoint } from "../state/application.ts";
import { newId } from "../state/record.ts";
import { failPendingDeliveries, healthy, replaceEndpoint } from "../webhook/endpoint-health.ts";
import type { FetchHandler } from "../webhook/transport.ts";
import { destinationMessage, isDestination } from "../wire/requests.ts";
import { publishedCredentials } from "./credentials.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";

/** A webhook endpoint to register. */
export interface EndpointToAdd {
  /** A URL on this machine, or a handler in this process. */
  readonly target: string | FetchHandler;
  /** The events that the endpoint receives. Default: both. */
  readonly events?: readonly EventName[] | undefined;
}

/** The webhook endpoints of an application. */
export interface Endpoints {
  /** Lists the endpoints in the order in which they were registered. */
  list(): readonly WebhookEndpoint[];
  /**
   * Registers an endpoint.
   *
   * @throws SandboxError `endpoint_taken` when the URL is already registered
   * @throws TypeError when the sandbox may not call the URL, or an event is unknown
   */
  add(endpoint: EndpointToAdd): WebhookEndpoint;
  /**
   * Replaces all endpoints by this one. An endpoint that already has this URL stays, with its pending deliveries.
   *
   * @throws TypeError as `add` does. Nothing has changed then.
   */
  replaceAll(endpoint: EndpointToAdd): WebhookEndpoint;
  /** Removes an endpoint. Its pending deliveries fail, and a handler is never called again. @throws SandboxError `endpoint_unknown` */
  remove(id: string): void;
  /** Enables a disabled endpoint. @throws SandboxError `endpoint_unknown` */
  enable(id: string): void;
  /** Changes the events that an endpoint receives. @throws SandboxError `endpoint_unknown` */
  setEvents(id: string, events: readonly EventName[]): void;
  /**
   * Checks an endpoint by signed test deliveries, three at most, which run no handler and are not recorded. It works if no finding
   * is a `problem`.
   *
   * @throws SandboxError `endpoint_unknown`; TypeError for a handler in this process
   */
  check(id: string): Promise<readonly Finding[]>;
}

/** The endpoints for values of requests and forms as well: each method checks what it gets. */
export interface CheckedEndpoints extends Endpoints {
  add(endpoint: unknown): WebhookEndpoint;
  replaceAll(endpoint: unknown): WebhookEndpoint;
  setEvents(id: string, events: unknown): void;
}

/** Creates the endpoints of an application. @see "Registration and routing" of the specification */
export function createEndpoints(deps: SandboxDeps, applicationId: string): CheckedEndpoints {
  const remove = (id: string) => {
    const { application, endpoint } = findEndpoint(deps, applicationId, id);
    const endpoints = application.endpoints.filter((each) => each !== endpoint);
    deps.state.applications.put({ ...application, endpoints });
    deps.transport.unregister(endpoint.url);
    failPendingDeliveries(deps, applicationId, id);
  };

  return {
    list: () => findApplication(deps, applicationId).endpoints,
    add: (endpoint) => putEndpoint(deps, applicationId, parseEndpoint(deps, applicationId, endpoint)),
    replaceAll(endpoint) {
      const parsed = parseEndpoint(deps, applicationId, endpoint);
      for (const { id, url } of findApplication(deps, applicationId).endpoints) if (url !== parsed.url) remove(id);
      const application = findApplication(deps, applicationId);
      const [present] = application.endpoints;
      if (!present) return putEndpoint(deps, applicationId, parsed);
      const changed = { ...present, ...parsed };
      replaceEndpoint(deps, application, changed);
      return changed;
    },
    remove,
    enable(id) {
      const { application, endpoint } = findEndpoint(deps, applicationId, id);
      replaceEndpoint(deps, application, healthy(endpoint));
    },
    setEvents(id, events) {
      const parsed = parse("endpoints", eventsShape, events, "events");
      const { application, endpoint } = findEndpoint(deps, applicationId, id);
      replaceEndpoint(deps, application, { ...endpoint, events: parsed });
    },
    check: (id) => checkEndpointOf(deps, applicationId, id),
  };
}

type ParsedEndpoint = Pick<WebhookEndpoint, "url" | "events">;

const expectedEvents = `expected ${eventNames.join(" or ")}`;
const eventsShape = z
  .array(z.enum(eventNames, expectedEvents), expectedEvents)
  .min(1, expectedEvents)
  .transform((events) => [...new Set(events)]);

const isHandler = (target: unknown): target is FetchHandler => typeof target === "function";

const endpointShape = z.strictObject({
  target: z.union([z.string(), z.custom<FetchHandler>(isHandler)], "expected a URL or a handler"),
  events: eventsShape.default([...eventNames]),
});

function parseEndpoint(deps: SandboxDeps, applicationId: string, endpoint: unknown): ParsedEndpoint {
  const { target, events } = parse("endpoints", endpointShape, endpoint);
  const application = findApplication(deps, applicationId);
  if (typeof target !== "string") return { url: deps.transport.register(target), events };
  const problem = urlProblem(application, target, deps.allowRemoteWebhooks);
  if (problem !== undefined) throw new UsageError("endpoints", "url", problem);
  return { url: target, events };
}

/**
 * The service accepts every https URL, but the sandbox by default calls only this machine. An error at the registration is
 * more helpful than deliveries that fail.
 *
 * @see "Registration and routing" of the specification
 */
function urlProblem({ dialect }: Application, url: string, allowRemoteWebhooks: boolean): string | undefined {
  if (!isDestination(url, dialect)) return destinationMessage(dialect);
  if (allowRemoteWebhooks || isLoopbackUrl(url)) return undefined;
  return "Must be a URL on this machine, such as http://localhost:3000/webhooks, unless remote webhooks are allowed.";
}

function putEndpoint(service: Service, applicationId: string, { url, events }: ParsedEndpoint): WebhookEndpoint {
  const application = findApplication(service, applicationId);
  if (application.endpoints.some((registered) => registered.url === url)) {
    throw new SandboxError("endpoint_taken", "This URL is already registered. Remove it first.", { field: "url" });
  }
  const endpoint: WebhookEndpoint = { id: newId("end"), url, events, status: "enabled", failingSince: undefined };
  service.state.applications.put({ ...application, endpoints: [...application.endpoints, endpoint] });
  return endpoint;
}

function findEndpoint(service: Service, applicationId: string, id: string) {
  const application = findApplication(service, applicationId);
  const endpoint = application.endpoints.find((candidate) => candidate.id === id);
  if (endpoint) return { application, endpoint };
  throw new SandboxError("endpoint_unknown", "There is no such endpoint.");
}

/** Tells whether an endpoint can be checked: a handler in this process has no connection that could be wrong. */
export function isCheckable(url: string, allowRemote: boolean): boolean {
  return /^https?:/.test(url) && (allowRemote || isLoopbackUrl(url));
}

async function checkEndpointOf(deps: SandboxDeps, applicationId: string, id: string): Promise<readonly Finding[]> {
  const { application, endpoint } = findEndpoint(deps, applicationId, id);
  const { url } = endpoint;
  const { signingSecret: secret, settings } = application;
  // checkEndpoint sends nothing that is signed with the published secret to other machines.
  const allowRemote = deps.allowRemoteWebhooks && secret !== publishedCredentials.signingSecret;
  if (!isCheckable(url, allowRemote)) {
    const allowed = "The sandbox checks URLs on this machine, and other URLs only with a token and remote webhooks.";
    throw new UsageError("endpoints", "url", `This endpoint cannot be checked. ${allowed}`);
  }
  return checkEndpoint({ url, secret, timeoutMilliseconds: settings.webhookTimeoutMilliseconds });
}
