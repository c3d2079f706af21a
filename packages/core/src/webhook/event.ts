/** An instant as the service wrote it: ISO 8601 text, or Unix seconds or milliseconds as number or text. */
export type EventInstant = string | number;

/** What every event has. */
interface EventFacts {
  /** Names the event, the same in every delivery of it: a key for deduplication and idempotency. Hexadecimal. */
  readonly key: string;
  /** When it happened, as the service wrote it; undefined when the event has no such field. */
  readonly occurredAt: EventInstant | undefined;
  /** `occurredAt` as text whose order is the order of instants, with all digits; empty when it cannot be read. */
  readonly rank: string;
  /** The body as it was signed, as text; whatever was no UTF-8 in it is U+FFFD. */
  readonly body: string;
  /** The body, parsed. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * What an event is about. Only the identifier and the instant stand in the specification; the other known fields are
 * `undefined` where the service left them out or sent another type, and unknown ones are passed through.
 */
interface DataFacts {
  readonly status?: string | undefined;
  readonly channel?: string | undefined;
  readonly recipient?: string | undefined;
  readonly [field: string]: unknown;
}

/** The `data` of a {@link MessageStatusEvent}. */
export interface MessageData extends DataFacts {
  readonly message_id?: string | undefined;
  readonly status_updated_at?: EventInstant | undefined;
}

/** The `data` of a {@link VerificationEvent}. */
export interface VerificationData extends DataFacts {
  readonly verification_id?: string | undefined;
  readonly updated_at?: EventInstant | undefined;
  /** The delivery status of the message on `channel`. */
  readonly channel_status?: string | undefined;
}

/** The delivery status of an outbound message changed: `QUEUED`, `SENT`, `FAILED`, `DELIVERED`, or one yet unknown. */
export interface MessageStatusEvent extends EventFacts {
  readonly kind: "message.status.update";
  readonly data: MessageData;
}

/** The status of a verification changed, or the delivery status of one of its messages. */
export interface VerificationEvent extends EventFacts {
  readonly kind: "verification.update";
  readonly data: VerificationData;
}

/** An event of a kind that the specification does not have. */
export interface UnknownEvent extends EventFacts {
  readonly kind: "unknown";
  /** What the envelope calls it. */
  readonly name: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * An event of the service; `kind` tells which.
 *
 * @see "Events" of the specification
 */
export type WebhookEvent = MessageStatusEvent | VerificationEvent | UnknownEvent;
