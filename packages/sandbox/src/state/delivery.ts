import type { EventName } from "./application.ts";

/** Why an attempt got no answer. */
export type AttemptError = "timed_out" | "unreachable" | "not_loopback" | "handler_threw";

/** One POST of a payload. */
export interface DeliveryAttempt {
  /** ISO instant on the sandbox's clock. */
  readonly at: string;
  /** `X-Webhook-Timestamp` of the attempt: Unix seconds on the wall clock. */
  readonly timestamp: string;
  /** `X-Webhook-Signature` of the attempt. */
  readonly signature: string;
  /** Status of the answer, when there was one. */
  readonly status: number | undefined;
  /** The beginning of the answer's body. */
  readonly answer: string;
  readonly error: AttemptError | undefined;
}

/** An event on its way to one endpoint. */
export interface Delivery {
  readonly id: string;
  readonly applicationId: string;
  readonly event: EventName;
  readonly url: string;
  /** The body, byte for byte the same in every attempt. */
  readonly payload: string;
  readonly status: "pending" | "delivered" | "failed";
  readonly createdAt: string;
  readonly attempts: readonly DeliveryAttempt[];
  /** ISO instant on the sandbox's clock; undefined while an attempt is under way and when none is left. */
  readonly nextAttemptAt: string | undefined;
}
