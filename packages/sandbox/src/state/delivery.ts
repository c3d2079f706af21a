import type { EventName } from "./application.ts";

/** The reason for which an attempt got no answer. */
export type AttemptError =
  | "timed_out"
  | "unreachable"
  | "bad_certificate"
  | "not_loopback"
  | "handler_threw"
  | "dropped"
  | "cut";

/**
 * The reason for an attempt: the retry schedule, a manual request, a manual request with changes, or a fault that duplicates another
 * attempt.
 */
export type AttemptCause = "schedule" | "send_again" | "send_changed" | "duplicate";

/** The changes of an attempt. An omitted member is as in any attempt. */
export interface AttemptChanges {
  /** The body in place of the payload. */
  readonly body?: string | undefined;
  /** Seconds that are added to the time of the attempt; negative for the past. */
  readonly timestampOffsetSeconds?: number | undefined;
  /** `wrong_secret` signs with a random secret, `missing` sends no signature. Default: `valid`. */
  readonly signature?: "valid" | "wrong_secret" | "missing" | undefined;
}

/** One POST of a payload. */
export interface DeliveryAttempt {
  /** ISO instant on the application's clock. */
  readonly at: string;
  readonly cause: AttemptCause;
  /** `X-Webhook-Timestamp` of the attempt: Unix seconds on the wall clock. */
  readonly timestamp: string;
  /** `X-Webhook-Signature` of the attempt; empty if it was sent without one. */
  readonly signature: string;
  /** HTTP status of the answer; undefined when there was none. */
  readonly status: number | undefined;
  /** The first 2,000 characters of the answer's body. */
  readonly answer: string;
  /** The reason for a missing answer. */
  readonly error: AttemptError | undefined;
  /** Time until the answer was complete, on the wall clock. */
  readonly tookMilliseconds: number;
  /** The changes of an attempt that was requested with changes. Its outcome does not count for the delivery. */
  readonly changes?: AttemptChanges | undefined;
}

/** The delivery of one event to one endpoint. Its instants are on the application's clock. */
export interface Delivery {
  readonly id: string;
  readonly applicationId: string;
  readonly event: EventName;
  /** The same for all endpoints that get this event. It is not in the payload. */
  readonly eventId: string;
  /** The message or verification that the event is about. */
  readonly subjectId: string;
  /** E.164: the recipient of the message or verification. */
  readonly recipient: string;
  /** The status that the event reports, such as `DELIVERED` or `SMS FAILED`. */
  readonly eventStatus: string;
  /** The registered endpoint; undefined for a `callback_url`. */
  readonly endpointId: string | undefined;
  readonly url: string;
  /** The body. Every attempt without changes sends the same bytes. */
  readonly payload: string;
  /** `delivered` after a 2xx answer; `failed` when no further attempt is scheduled. */
  readonly status: "pending" | "delivered" | "failed";
  readonly createdAt: string;
  /** The attempts so far, the oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
  /** Undefined during an attempt and after the last one. */
  readonly nextAttemptAt: string | undefined;
}

/** Tells whether the receiver acknowledged an attempt: any 2xx does. @see "Receiver contract" of the specification */
export function isAcknowledged({ status }: DeliveryAttempt): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

/** The status of a delivery, where `pending` is divided: `retrying` waits after a failure, `sending` has its first attempt now or soon. */
export type DeliveryStage = "sending" | "retrying" | "delivered" | "failed";

/** Returns the stage of a delivery. */
export function stageOf({ status, attempts, nextAttemptAt }: Delivery): DeliveryStage {
  if (status !== "pending") return status;
  return nextAttemptAt !== undefined && attempts.length > 0 ? "retrying" : "sending";
}

/** Returns the last attempt without changes; undefined if there is none. */
export function lastUnchangedAttempt({ attempts }: Pick<Delivery, "attempts">): DeliveryAttempt | undefined {
  return attempts.findLast(({ cause }) => cause !== "send_changed");
}
