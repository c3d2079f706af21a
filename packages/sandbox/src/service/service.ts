import type { Application } from "../state/application.ts";
import type { State } from "../state/state.ts";
import type { Agenda } from "../time/agenda.ts";
import type { WebhookEvent } from "../wire/events.ts";

/** What every act of the service works with. */
export interface Service {
  readonly state: State;
  readonly agenda: Agenda;
  /** Sends an event to whom its request or its application names. */
  readonly publish: (event: WebhookEvent) => void;
}

/** The application of a record that is its own. */
export function applicationOf({ state }: Service, { applicationId }: { readonly applicationId: string }): Application {
  const application = state.applications.get(applicationId);
  if (!application) throw new Error("A record outlived its application.");
  return application;
}
