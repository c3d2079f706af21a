import { SandboxError } from "../primitives/errors.ts";
import { type Account, accountId } from "../state/account.ts";
import type { Application } from "../state/application.ts";
import { isoInstant } from "../state/record.ts";
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

/**
 * Returns the instant of a new status: the present, but always later than the previous status.
 *
 * Receivers order events by this instant alone. Two statuses within one millisecond, or on a stopped clock, would have
 * the same instant and could be applied in the wrong order. A dialect that writes whole seconds needs a difference of a
 * whole second.
 *
 * @param previous - ISO instant of the previous status.
 * @see "Delivery guarantees" of the specification
 */
export function nextInstant({ scheduler }: Service, { id, dialect }: Application, previous: string): string {
  const inSeconds = dialect.instants === "iso_seconds" || dialect.instants === "epoch_seconds";
  const step = inSeconds ? 1_000 : 1;
  const now = Math.floor(scheduler.now(id) / step) * step;
  const earliest = (Math.floor(Date.parse(previous) / step) + 1) * step;
  return isoInstant(Math.max(now, earliest));
}
