import type { Behaviour } from "../service/handset.ts";
import type { Settings } from "../settings.ts";
import type { Dialect } from "../wire/dialect.ts";

/** The two kinds of events the service sends. */
export const eventNames = ["message.status.update", "verification.update"] as const;

/** A kind of event. */
export type EventName = (typeof eventNames)[number];

/** The application that is there from the start, and stays. */
export const defaultApplicationId = "default";

/** Where an application wants its events, and which of them. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventName[];
  /** A disabled endpoint gets nothing until somebody enables it again. */
  readonly status: "enabled" | "disabled";
  /** ISO instant of the first failure since the last success; undefined while it works. */
  readonly failingSince: string | undefined;
}

/** Somebody who may use the portal for an application. */
export interface User {
  readonly email: string;
  readonly role: "admin" | "developer" | "viewer";
}

/**
 * A workspace of the account: its own key, signing secret, endpoints, users, templates and product configuration.
 *
 * @see "Platform concepts" of the specification
 */
export interface Application {
  readonly id: string;
  readonly name: string;
  /** At most one, undefined once it was revoked; it tells which application a request belongs to. */
  readonly apiKey: string | undefined;
  /** One for all endpoints and every `callback_url` of the application. */
  readonly signingSecret: string;
  /** The one before the last regeneration, for the fault that signs with both. */
  readonly previousSigningSecret: string | undefined;
  readonly endpoints: readonly WebhookEndpoint[];
  readonly users: readonly User[];
  /** Text by name; `{{name}}` in it is a variable. */
  readonly templates: Readonly<Record<string, string>>;
  readonly settings: Settings;
  readonly dialect: Dialect;
  /** Phone numbers (E.164) and countries (`DE`) that do not behave, beside the fixed ranges. */
  readonly behaviours: Readonly<Record<string, Behaviour>>;
  /** The code that a phone number (E.164) gets each time. */
  readonly codes: Readonly<Record<string, string>>;
}
