import type { EventName } from "./application.ts";

/** Endpoints of the API that a fault can be put on. */
export const faultyRoutes = [
  "POST /messages",
  "GET /messages",
  "POST /verifications",
  "POST /verifications/confirmation",
] as const;

/** An endpoint of the API. */
export type FaultyRoute = (typeof faultyRoutes)[number];

/** What happens to a request instead of, before or after its answer. Durations are on the wall clock. */
export type RequestAction =
  | { readonly type: "answer"; readonly status: number; readonly body?: string; readonly retryAfterSeconds?: number }
  | { readonly type: "delay"; readonly milliseconds: number }
  /** The connection ends `before` anything was done, or `after` the work, so that the answer is lost. */
  | { readonly type: "cut"; readonly when: "before" | "after" };

/** What happens to a webhook. Durations are on the application's clock. */
export type WebhookAction =
  /** The payload is written another way: still the same JSON, spaced, escaped and ordered as nobody would. */
  | { readonly type: "odd_json" }
  | { readonly type: "delay"; readonly seconds: number }
  /** Held back until the next event of the same message or verification was sent, at most 10 seconds. */
  | { readonly type: "reorder" }
  /** Sent twice at the same moment. */
  | { readonly type: "duplicate" }
  /** Lost on the way: nothing is sent, and the attempt has failed. */
  | { readonly type: "drop" }
  /** The connection ends in the middle of the body. */
  | { readonly type: "cut" }
  | { readonly type: "corrupt_signature" }
  | { readonly type: "stale_timestamp"; readonly seconds: number }
  /** A `v2=` entry stands beside the `v1=` one. */
  | { readonly type: "extra_signature" }
  /** Signed with the previous signing secret and with the current one, as two `v1=` entries. */
  | { readonly type: "two_secrets" };

/** What a fault applies to, and what it does. */
export type FaultRule =
  | { readonly on: FaultyRoute | "request"; readonly to?: string; readonly action: RequestAction }
  | {
      readonly on: EventName | "webhook";
      readonly to?: string;
      /** Only events that tell this status: `SENT` (of any channel), `SMS SENT`, `APPROVED`. */
      readonly status?: string;
      readonly action: WebhookAction;
    };

/** How often a fault fires; each time something matches, when all is left out. */
export interface FaultLimits {
  /** Fires at most so often. */
  readonly times?: number;
  /** From 0 to 1: fires on this share of what matches, by a generator that `seed` starts. */
  readonly probability?: number;
  /** Default 1. The same seed and the same course of events give the same firings. */
  readonly seed?: number;
}

/** A fault that is switched on. */
export type Fault = FaultRule &
  FaultLimits & {
    readonly id: string;
    readonly applicationId: string;
    /** How often something matched; it is also where the generator stands. */
    readonly matched: number;
    readonly fired: number;
  };

/** One firing of a fault: it stands on the timeline of what it struck. */
export interface Firing {
  readonly id: string;
  readonly applicationId: string;
  readonly faultId: string;
  readonly on: string;
  readonly action: FaultRule["action"];
  readonly at: string;
  /** The message or verification that was struck; undefined when a request was, which is none yet. */
  readonly subjectId: string | undefined;
  /** The delivery that was struck. */
  readonly deliveryId: string | undefined;
}
