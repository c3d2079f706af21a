/** The two kinds of events the service sends. */
export const eventNames = ["message.status.update", "verification.update"] as const;

/** A kind of event. */
export type EventName = (typeof eventNames)[number];

/** Where an application wants its events, and which of them. */
export interface WebhookEndpoint {
  readonly url: string;
  readonly events: readonly EventName[];
}

/**
 * A workspace of the account: its own key, signing secret, endpoints, senders and templates.
 *
 * @see "Platform concepts" of the specification
 */
export interface Application {
  readonly id: string;
  /** Exactly one; it tells which application a request belongs to. */
  readonly apiKey: string;
  /** One for all endpoints and every `callback_url` of the application. */
  readonly signingSecret: string;
  readonly endpoints: readonly WebhookEndpoint[];
  /** Registered sender IDs and rented numbers. */
  readonly senders: readonly string[];
  readonly templates: Readonly<Record<string, string>>;
}
