import type { EventName } from "./application.ts";

/** Why an attempt got no answer. */
export type AttemptError =
  | "timed_out"
  | "unreachable"
  | "bad_certificate"
  | "not_loopback"
  | "handler_threw"
  | "dropped"
  | "cut";

/** Why an attempt was made: by the retry schedule, by hand, or as the copy of another one. */
export type AttemptCause = "schedule" | "send_again" | "duplicate";

/** One POST of a payload. */
export interface DeliveryAttempt {
  /** ISO instant on the application's clock. */
  readonly at: string;
  readonly cause: AttemptCause;
  /** `X-Webhook-Timestamp` of the attempt: Unix seconds on the wall clock. */
  readonly timestamp: string;
  /** `X-Webhook-Signature` of the attempt. */
  readonly signature: string;
  /** Status of the answer, when there was one. */
  readonly status: number | undefined;
  /** The beginning of the answer's body. */
  readonly answer: string;
  readonly error: AttemptError | undefined;
  /** Until the answer was there, on the wall clock. */
  readonly tookMilliseconds: number;
}

/** An event on its way to one endpoint. */
export interface Delivery {
  readonly id: string;
  readonly applicationId: string;
  readonly event: EventName;
  /** The message or verification that the event tells of. */
  readonly subjectId: string;
  /** Phone number that the message or verification goes to. */
  readonly recipient: string;
  /** The status that the event tells, for people: `DELIVERED`, `SMS FAILED`. */
  readonly told: string;
  /** The registered endpoint; undefined for a `callback_url`. */
  readonly endpointId: string | undefined;
  readonly url: string;
  /** The body, byte for byte the same in every attempt. */
  readonly payload: string;
  readonly status: "pending" | "delivered" | "failed";
  readonly createdAt: string;
  readonly attempts: readonly DeliveryAttempt[];
  /** ISO instant on the application's clock; undefined while an attempt is under way and when none is left. */
  readonly nextAttemptAt: string | undefined;
}
