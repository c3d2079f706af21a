import type { EventName } from "../state/application.ts";
import type { FaultyRoute, RequestAction, WebhookAction } from "../state/fault.ts";

/** What is decided about an event once, for all of its attempts. */
export type EventAction = Extract<WebhookAction, { readonly type: "odd_json" | "delay" | "reorder" }>;

/** What is decided about each attempt by itself: `times: 1, drop` loses one attempt, not an event. */
export type AttemptAction = Exclude<WebhookAction, EventAction>;

/** The actions of each scope: of a request, of an event with all its attempts, of one attempt. */
export interface ActionsOfScope {
  readonly request: RequestAction;
  readonly event: EventAction;
  readonly attempt: AttemptAction;
}

/** What faults strike. */
export type FaultScope = keyof ActionsOfScope;

/** A request, an event that becomes a delivery, or an attempt of one: something that faults may strike now. */
export interface Occasion<Scope extends FaultScope> {
  readonly scope: Scope;
  readonly applicationId: string;
  readonly on: Scope extends "request" ? FaultyRoute : EventName;
  /** The phone numbers (E.164) that it concerns: a fault `to` a number applies when that is among them. */
  readonly to: readonly string[];
  /** The status that an event tells. */
  readonly told?: string;
  /** The message or verification. */
  readonly subjectId?: string;
  readonly deliveryId?: string;
  /** On the application's clock. */
  readonly atMilliseconds: number;
}
