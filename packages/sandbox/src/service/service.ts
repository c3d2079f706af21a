import { SandboxError } from "../primitives/errors.ts";
import { type Account, accountId } from "../state/account.ts";
import type { Application } from "../state/application.ts";
import type { State } from "../state/state.ts";
import type { Scheduler } from "../time/scheduler.ts";
import type { WebhookEvent } from "../wire/events.ts";

/** The parts that the functions of the service work with. */
export interface Service {
  readonly state: State;
  /** The clocks of the applications, and the work for later. */
  readonly scheduler: Scheduler;
  /** Sends an event to the `callback_url` of its request or to the endpoints of its application. */
  readonly publish: (event: WebhookEvent) => void;
}

/** Returns the account. */
export function accountOf({ state }: Pick<Service, "state">): Account {
  const account = state.accounts.get(accountId);
  if (!account) throw new Error("The sandbox has no account.");
  return account;
}

/** Returns the application with this id. @throws SandboxError `application_unknown` */
export function findApplication({ state }: Pick<Service, "state">, id: string): Application {
  const application = state.applications.get(id);
  if (application) return application;
  throw new SandboxError("application_unknown", "There is no such application.");
}
