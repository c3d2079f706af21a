import { type EventName, eventNames } from "./application.ts";

/** The endpoints of the API that a fault can apply to. */
export const faultyRoutes = [
  "POST /messages",
  "GET /messages",
  "POST /verifications",
  "POST /verifications/confirmation",
] as const;

/** An endpoint of the API that a fault can apply to. */
export type FaultyRoute = (typeof faultyRoutes)[number];

/** The values of `on` for a fault on requests. */
export const requestTargets: readonly (FaultyRoute | "request")[] = ["request", ...faultyRoutes];

/** The values of `on` for a fault on webhooks. */
export const webhookTargets: readonly (EventName | "webhook")[] = ["webhook", ...eventNames];

/** The effect of a fault on a request. Durations are on the wall clock. */
export type RequestAction =
  | { readonly type: "answer"; readonly status: number; readonly body?: string; readonly retryAfterSeconds?: number }
  | { readonly type: "delay"; readonly milliseconds: number }
  /** Closes the connection `before` the work is done, or `after` it, so that only the answer is lost. */
  | { readonly type: "cut"; readonly when: "before" | "after" };

/** The effect of a fault on a webhook. Durations are on the application's clock. */
export type WebhookAction =
  /** Sends the same JSON value with unusual whitespace, escapes and key order. */
  | { readonly type: "odd_json" }
  | { readonly type: "delay"; readonly seconds: number }
  /** Holds the event back until the next event of the same message or verification was sent, for at most 10 seconds. */
  | { readonly type: "reorder" }
  /** Sends two copies at the same moment. */
  | { readonly type: "duplicate" }
  /** Sends nothing and records the attempt as failed. */
  | { readonly type: "drop" }
  /** Closes the connection in the middle of the body. */
  | { readonly type: "cut" }
  | { readonly type: "corrupt_signature" }
  | { readonly type: "stale_timestamp"; readonly seconds: number }
  /** Adds a `v2=` entry to the signature, before the `v1=` entry. */
  | { readonly type: "extra_signature" }
  /** Signs with the previous and the current signing secret, as two `v1=` entries. */
  | { readonly type: "two_secrets" };

/** The condition of a fault and its effect. */
export type FaultRule =
  | { readonly on: (typeof requestTargets)[number]; readonly to?: string; readonly action: RequestAction }
  | {
      readonly on: (typeof webhookTargets)[number];
      readonly to?: string;
      /** Matches only events that report this status: `SENT` (of any channel), `SMS SENT`, `APPROVED`. */
      readonly status?: string;
      readonly action: WebhookAction;
    };

/** The limits of a fault. Without any, it fires on every match. */
export interface FaultLimits {
  /** Fires at most this many times. */
  readonly times?: number;
  /** From 0 to 1: the share of matches on which the fault fires. */
  readonly probability?: number;
  /** Seed of the random numbers for `probability`. Default 1. The same seed and matches give the same firings. */
  readonly seed?: number;
}

/** A fault that was added, with its counters. */
export type Fault = FaultRule &
  FaultLimits & {
    readonly id: string;
    readonly applicationId: string;
    /** Number of matches so far. It is also the position in the sequence of random numbers. */
    readonly matched: number;
    /** Number of firings so far. */
    readonly fired: number;
  };

/** One firing of a fault. It appears on the timeline of the affected verification or delivery. */
export interface Firing {
  readonly id: string;
  readonly applicationId: string;
  readonly faultId: string;
  /** The affected endpoint of the API, or the name of the affected event. */
  readonly on: string;
  readonly action: FaultRule["action"];
  /** ISO instant on the application's clock. */
  readonly at: string;
  /** The affected message or verification; undefined for a request, which has neither yet. */
  readonly subjectId: string | undefined;
  readonly deliveryId: string | undefined;
}
