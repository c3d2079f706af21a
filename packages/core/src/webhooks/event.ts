/** An instant as the service wrote it: ISO 8601, or Unix seconds or milliseconds as a number or text. */
export type EventInstant = string | number;

/** The members of every event. */
interface BaseEvent {
  /** The event's key, the same in every delivery of it, for deduplication and idempotency. Hexadecimal. */
  readonly key: string;
  /** The instant of the event, as the service wrote it. `undefined` if the event has none. */
  readonly occurredAt: EventInstant | undefined;
  /** `occurredAt` as text that sorts by time, with all digits. Empty if it cannot be read. */
  readonly rank: string;
  /** The signed body as text. Bytes that are not UTF-8 are U+FFFD. */
  readonly body: string;
  /** The body, parsed. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * The data of an event. The specification defines only the identifier and the instant. The other known fields are
 * `undefined` if the service omits them or sends another type. Unknown fields are passed through.
 */
interface BaseData {
  /** The status of the message or verification. */
  readonly status?: string | undefined;
  /** The name of the channel, such as `SMS`. */
  readonly channel?: string | undefined;
  /** The phone number of the recipient. */
  readonly recipient?: string | undefined;
  readonly [field: string]: unknown;
}

/** The `data` of a {@link MessageStatusEvent}. */
export interface MessageData extends BaseData {
  /** The identifier of the message. */
  readonly message_id?: string | undefined;
  /** The instant at which the status changed. */
  readonly status_updated_at?: EventInstant | undefined;
}

/** The `data` of a {@link VerificationEvent}. */
export interface VerificationData extends BaseData {
  /** The identifier of the verification. */
  readonly verification_id?: string | undefined;
  /** The instant at which the verification changed. */
  readonly updated_at?: EventInstant | undefined;
  /** The delivery status of the message on `channel`. */
  readonly channel_status?: string | undefined;
}

/** A change of an outbound message's delivery status: to `QUEUED`, `SENT`, `FAILED`, `DELIVERED`, or a new one. */
export interface MessageStatusEvent extends BaseEvent {
  /** The kind of the event. */
  readonly kind: "message.status.update";
  /** The message and its status. */
  readonly data: MessageData;
}

/** A change of a verification's status, or of the delivery status of one of its messages. */
export interface VerificationEvent extends BaseEvent {
  /** The kind of the event. */
  readonly kind: "verification.update";
  /** The verification and its status. */
  readonly data: VerificationData;
}

/** An event of a kind that the specification does not define. */
export interface UnknownEvent extends BaseEvent {
  /** The kind of the event. */
  readonly kind: "unknown";
  /** The name of the kind in the envelope. */
  readonly name: string | undefined;
  /** The `data` of the payload; empty if it is not an object. */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * An event of the service. `kind` narrows its type.
 *
 * @see "Events" of the specification
 */
export type WebhookEvent = MessageStatusEvent | VerificationEvent | UnknownEvent;

/** A body that is signed but is not an event. Delivering it again would not help. */
export interface UnreadableEvent {
  /** The reason: the body is not JSON, or is JSON but not an object. */
  readonly unreadable: "not_json" | "not_an_object";
}
