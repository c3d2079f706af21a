import type { Dialect } from "./dialect.ts";
import type { Settings } from "./settings.ts";

/** The events that the service sends. */
export const eventNames = ["message.status.update", "verification.update"] as const;

/** The name of an event. */
export type EventName = (typeof eventNames)[number];

/** The id of the default application, which exists from the start and cannot be removed. */
export const defaultApplicationId = "default";

/** A registered webhook endpoint of an application. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventName[];
  /** A disabled endpoint receives nothing until it is enabled again. */
  readonly status: "enabled" | "disabled";
  /** ISO instant of the first failure since the last success; undefined while the endpoint works. */
  readonly failingSince: string | undefined;
}

/** A person who may use the portal for an application. It is a record only: it gives no access to the sandbox. */
export interface User {
  readonly email: string;
  /** The person's rights in the portal of the real service. */
  readonly role: "admin" | "developer" | "viewer";
}

/**
 * A workspace of the account with its own API key, signing secret, endpoints, users, templates and configuration.
 *
 * @see "Platform concepts" of the specification
 */
export interface Application {
  readonly id: string;
  /** The name that the portal shows. */
  readonly name: string;
  /** Identifies the application of a request. There is at most one key; it is undefined after a revocation. */
  readonly apiKey: string | undefined;
  /** Signs the webhooks to all endpoints and every `callback_url` of the application. */
  readonly signingSecret: string;
  /** The secret before the last regeneration. The fault `two_secrets` signs with both. */
  readonly previousSigningSecret: string | undefined;
  readonly endpoints: readonly WebhookEndpoint[];
  /** The people who may use the portal. It is a record only: it gives no access to the sandbox. */
  readonly users: readonly User[];
  /** Template text by template name. `{{code}}` is the code, and every other `{{word}}` is a variable. */
  readonly templates: Readonly<Record<string, string>>;
  /** Limits and delays. */
  readonly settings: Settings;
  /** The choices that the specification leaves open. */
  readonly dialect: Dialect;
  /** Misbehaviour by phone number (E.164) or country (`DE`), in addition to the fixed ranges. */
  readonly behaviours: Readonly<Record<string, Behaviour>>;
  /** Fixed codes by phone number (E.164). */
  readonly codes: Readonly<Record<string, string>>;
}

/** The ways in which a simulated phone number can misbehave. */
export const behaviours = [
  "sms_fails",
  "never_delivered",
  "only_voice",
  "slow",
  "duplicate_events",
  "reordered_events",
] as const;

/**
 * The misbehaviour of a simulated phone number. `sms_fails`: SMS end `FAILED`. `never_delivered`: messages stay `SENT`.
 * `only_voice`: everything except calls ends `FAILED`. `slow`: the outcome comes only after the fallback time-out.
 * `duplicate_events`: each event is sent twice. `reordered_events`: `SENT` arrives after the outcome.
 */
export type Behaviour = (typeof behaviours)[number];
