import { findApplication } from "../service/service.ts";
import type { ApiRequest } from "../state/api-request.ts";
import type { EventName } from "../state/application.ts";
import type { Verification } from "../state/verification.ts";
import type { FetchHandler } from "../webhook/transport.ts";
import { type Configuration, configureApplication, removeApplication, resetApplication } from "./applications.ts";
import { envOf, regenerateSigningSecret, revokeApiKey, rotateApiKey, type SandboxEnv } from "./credentials.ts";
import { createDecisions, type Decisions } from "./decisions.ts";
import { type CheckedDeliveries, createDeliveries, type Deliveries } from "./deliveries.ts";
import { type CheckedEndpoints, createEndpoints, type Endpoints } from "./endpoints.ts";
import { type CheckedFaults, createFaults, type Faults } from "./faults.ts";
import { createInbox, type Inbox } from "./inbox.ts";
import { type CheckedClock, createClock, type SandboxClock } from "./sandbox-clock.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";
import { type Usage, usageOf } from "./usage.ts";
import { watchRecords } from "./wait-for-record.ts";

/** The requests that reached the API of the service. */
export interface ApiRequests {
  /**
   * Lists the last 500 requests with the API key of the application, the oldest first. Requests without a valid key are listed by the
   * default application. They are in memory only, even with a data file.
   */
  list(): readonly ApiRequest[];
  /** Calls the watcher with each request after it was answered. The returned function ends it. */
  watch(watcher: (request: ApiRequest) => void): () => void;
}

/** One application of the sandbox, with its own messages, deliveries, clock and faults. */
export interface SandboxApplication {
  readonly id: string;
  /** The environment variables of a program that uses this application, with the current credentials. */
  readonly env: SandboxEnv;
  readonly inbox: Inbox;
  /** The verifications, the oldest first. */
  readonly verifications: { list(): readonly Verification[] };
  readonly requests: ApiRequests;
  /** The webhook deliveries with their attempts. */
  readonly deliveries: Deliveries;
  readonly endpoints: Endpoints;
  readonly clock: SandboxClock;
  /** The decisions of the app about its codes, if its `onEvent` reports them here. */
  readonly decisions: Decisions;
  /** The faults: failures that happen on purpose. */
  readonly faults: Faults;
  /**
   * Makes a URL or a handler the only webhook endpoint of the application.
   *
   * @param target - a URL on this machine, or a handler in this process.
   * @param options.events - the events that it receives. Default: both.
   * @throws TypeError when the URL is on another machine
   */
  deliverTo(target: string | FetchHandler, options?: { readonly events?: readonly EventName[] }): void;
  /** Changes the configuration. @throws TypeError with the first invalid member and the expected value */
  configure(configuration: Configuration): void;
  /** Gives the application a new API key and returns it. The old one stops working. */
  rotateApiKey(): string;
  /** Revokes the API key. The application has none until the next rotation. */
  revokeApiKey(): void;
  /** Gives the application a new signing secret and returns it. It applies immediately to all endpoints. */
  regenerateSigningSecret(): string;
  /** Returns the usage of the application since its last reset. */
  usage(): Usage;
  /**
   * Removes the history, the scheduled tasks, the faults and the failures of endpoints, and sets the clock to the machine's
   * time. The configuration stays.
   */
  reset(): void;
  /** Removes the application. @throws SandboxError `application_stays` for the default one */
  remove(): void;
}

/** An application, for values of requests and forms as well: each method checks what it gets. */
export interface CheckedApplication extends SandboxApplication {
  readonly deliveries: CheckedDeliveries;
  readonly endpoints: CheckedEndpoints;
  readonly clock: CheckedClock;
  readonly faults: CheckedFaults;
  configure(configuration: unknown): void;
}

/**
 * Opens an existing application: for the program that runs the sandbox, for the control API and for the page.
 *
 * @param url - the URL of the sandbox, for the environment.
 */
export function openApplication(deps: SandboxDeps, url: string, id: string): CheckedApplication {
  const { verifications, apiRequests } = deps.state;
  const endpoints = createEndpoints(deps, id);
  return {
    id,
    get env() {
      return envOf(deps, url, findApplication(deps, id));
    },
    inbox: createInbox(deps, id),
    verifications: { list: () => verifications.list(id) },
    requests: {
      list: () => apiRequests.list(id),
      watch: (watcher) => watchRecords(apiRequests, id, ["added"], watcher),
    },
    deliveries: createDeliveries(deps, id),
    endpoints,
    clock: createClock(deps, id),
    decisions: createDecisions(deps, id),
    faults: createFaults(deps, id),
    deliverTo: (target, options = {}) => void endpoints.replaceAll({ target, ...options }),
    configure: (configuration) => configureApplication(deps, id, configuration),
    rotateApiKey: () => rotateApiKey(deps, id),
    revokeApiKey: () => revokeApiKey(deps, id),
    regenerateSigningSecret: () => regenerateSigningSecret(deps, id),
    usage: () => usageOf(deps, id),
    reset: () => resetApplication(deps, id),
    remove: () => removeApplication(deps, id),
  };
}
