import { envOf, type SandboxEnv } from "../credentials.ts";
import {
  configureApplication,
  findApplication,
  regenerateSigningSecret,
  removeApplication,
  resetApplication,
  revokeApiKey,
  rotateApiKey,
} from "../portal/applications.ts";
import { type Configuration, parseConfiguration } from "../portal/configuration.ts";
import { type Usage, usageOf } from "../portal/usage.ts";
import type { Service } from "../service/service.ts";
import type { EventName } from "../state/application.ts";
import type { Verification } from "../state/verification.ts";
import type { Publisher } from "../webhook/publisher.ts";
import type { FetchHandler, Transport } from "../webhook/transport.ts";
import { createClock, type SandboxClock } from "./clock.ts";
import { createDeliveries, type Deliveries } from "./deliveries.ts";
import { createEndpoints, type Endpoints } from "./endpoints.ts";
import { createFaults, type Faults } from "./faults.ts";
import { createInbox, type Inbox } from "./inbox.ts";

/** One application of the sandbox: it sees its own messages, deliveries, clock and faults, and nothing of the others. */
export interface SandboxApplication {
  readonly id: string;
  /** What a program reads from its environment to use this application, as it is now. */
  readonly env: SandboxEnv;
  readonly inbox: Inbox;
  readonly verifications: { list(): readonly Verification[] };
  readonly deliveries: Deliveries;
  readonly endpoints: Endpoints;
  readonly clock: SandboxClock;
  readonly faults: Faults;
  /**
   * Makes a webhook endpoint the only one of the application.
   *
   * @param target - a URL on this machine, or a handler that is called in this process.
   * @param options.events - which events it gets; both when left out.
   * @throws TypeError when the URL leads elsewhere.
   */
  deliverTo(target: string | FetchHandler, options?: { readonly events?: readonly EventName[] }): void;
  /** Configures the application anew. @throws TypeError naming what is wrong and what was expected */
  configure(configuration: Configuration): void;
  /** Gives the application another API key, and answers it. */
  rotateApiKey(): string;
  /** Takes the API key away, until the next rotation. */
  revokeApiKey(): void;
  /** Gives the application another signing secret, for all of its endpoints at once, and answers it. */
  regenerateSigningSecret(): string;
  /** Reports what the application used. */
  usage(): Usage;
  /**
   * Forgets what happened and what was to come, faults and the failures of endpoints too, and sets the clock to the
   * machine's. Configuration stays.
   */
  reset(): void;
  /** Removes the application from the sandbox. @throws SandboxError `application_stays` for the default one */
  remove(): void;
}

/** What a {@link SandboxApplication} stands on. */
export interface ApplicationParts {
  readonly url: () => string;
  readonly service: Service;
  readonly publisher: Publisher;
  readonly transport: Transport;
  readonly allowRemoteWebhooks: boolean;
  readonly closed: AbortSignal;
}

/** Opens an application that is in the state to whoever controls the sandbox. */
export function openApplication(parts: ApplicationParts, id: string): SandboxApplication {
  const { url, service, publisher, closed } = parts;
  const { state } = service;
  const endpoints = createEndpoints(parts, id);
  return {
    id,
    get env() {
      return envOf(url(), findApplication(service, id));
    },
    inbox: createInbox(service, id, closed),
    verifications: { list: () => state.verifications.list(id) },
    deliveries: createDeliveries(state, publisher, id, closed),
    endpoints,
    clock: createClock(service, id),
    faults: createFaults(service, id),
    deliverTo: (target, options = {}) => void endpoints.replaceAll({ target, ...options }),
    configure: (configuration) => configureApplication(service, id, parseConfiguration("configure", configuration)),
    rotateApiKey: () => rotateApiKey(service, id),
    revokeApiKey: () => revokeApiKey(service, id),
    regenerateSigningSecret: () => regenerateSigningSecret(service, id),
    usage: () => usageOf(service, id),
    reset: () => resetApplication(service, id),
    remove: () => removeApplication(service, id),
  };
}
