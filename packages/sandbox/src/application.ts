import { envOf, type SandboxEnv } from "./credentials.ts";
import { createInbox, type Inbox } from "./inbox.ts";
import { type Application, type EventName, eventNames } from "./state/application.ts";
import type { Delivery } from "./state/delivery.ts";
import { deliveriesOf, type State } from "./state/state.ts";
import { isLoopbackUrl } from "./webhook/loopback.ts";
import type { Publisher } from "./webhook/publisher.ts";
import type { FetchHandler, Transport } from "./webhook/transport.ts";

/** The webhook deliveries of an application. */
export interface Deliveries {
  /** Lists deliveries in the order in which they began, each with its attempts. */
  list(): readonly Delivery[];
  /** Resolves when no attempt is under way; what waits for its time on the clock is not under way. */
  settled(): Promise<void>;
}

/** One application of the sandbox: it sees its own messages and deliveries, and nothing of the others. */
export interface SandboxApplication {
  /** What a program reads from its environment to use this application. */
  readonly env: SandboxEnv;
  readonly inbox: Inbox;
  readonly deliveries: Deliveries;
  /**
   * Makes a webhook endpoint the only one of the application.
   *
   * @param target - a URL on this machine, or a handler that is called in this process.
   * @param options.events - which events it gets; both when left out.
   * @throws TypeError when the URL leads elsewhere.
   */
  deliverTo(target: string | FetchHandler, options?: { readonly events?: readonly EventName[] }): void;
}

/** What a {@link SandboxApplication} stands on. */
export interface ApplicationParts {
  readonly url: string;
  readonly state: State;
  readonly publisher: Publisher;
  readonly transport: Transport;
  readonly closed: AbortSignal;
}

/** Opens an application that is in the state to the program that runs the sandbox. */
export function openApplication(parts: ApplicationParts, application: Application): SandboxApplication {
  const { url, state, publisher, transport, closed } = parts;
  const { id } = application;
  return {
    env: envOf(url, application),
    inbox: createInbox(state, id, closed),
    deliveries: {
      list: () => deliveriesOf(state, id),
      settled: () => publisher.settled(),
    },
    deliverTo(target, { events = eventNames } = {}) {
      const unknown = events.find((name) => !eventNames.includes(name));
      if (unknown !== undefined) throw new TypeError(`deliverTo: events: expected ${eventNames.join(" or ")}`);
      const endpoint = { url: typeof target === "string" ? checkedUrl(target) : transport.register(target), events };
      state.applications.change(id, (application) => ({ ...application, endpoints: [endpoint] }));
    },
  };
}

function checkedUrl(text: string): string {
  if (isLoopbackUrl(text)) return text;
  throw new TypeError(
    "deliverTo: expected an http or https URL on this machine, such as http://localhost:3000/webhooks",
  );
}
