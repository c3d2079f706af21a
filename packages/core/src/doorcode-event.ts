import diagnostics_channel from "node:diagnostics_channel";
import { type ErrorCode, isDoorcodeError } from "./errors.ts";
import type { Purpose } from "./login/transaction.ts";
import { describeError } from "./webhook/last-error.ts";
import type { SignatureReason } from "./webhook/signature.ts";

/** A phone number as events may show it: masked, plus a keyed fingerprint that ties events of one number together. */
export interface PhoneTrace {
  readonly phone: string;
  readonly phoneFingerprint: string;
}

/** What happened in a login. */
export type LoginEvent =
  | ({ readonly type: "login.code_sent"; readonly loginId: string; readonly purpose: Purpose } & PhoneTrace)
  | ({ readonly type: "login.send_failed"; readonly loginId: string; readonly error: unknown } & PhoneTrace)
  | ({ readonly type: "login.check_failed"; readonly loginId: string; readonly error: unknown } & PhoneTrace)
  | ({ readonly type: "login.code_ended"; readonly loginId: string } & PhoneTrace)
  | ({ readonly type: "login.code_rejected"; readonly loginId: string; readonly attemptsLeft: number } & PhoneTrace)
  | ({ readonly type: "login.completed"; readonly loginId: string; readonly userId: string } & PhoneTrace)
  | ({ readonly type: "login.unfinished"; readonly loginId: string; readonly error: unknown } & PhoneTrace)
  | { readonly type: "login.refused"; readonly code: ErrorCode };

/** What happened to a webhook delivery. `key` names the event, the same in every delivery of it. */
export type WebhookReport =
  | { readonly type: "webhook.refused"; readonly reason: SignatureReason }
  | { readonly type: "webhook.body_already_read" }
  | { readonly type: "webhook.unreadable"; readonly reason: "not_json" | "not_an_object" }
  | { readonly type: "webhook.persisted"; readonly kind: string; readonly key: string }
  | { readonly type: "webhook.buried"; readonly kind: string; readonly key: string }
  | { readonly type: "webhook.handled"; readonly kind: string; readonly key: string }
  | { readonly type: "webhook.duplicate"; readonly kind: string; readonly key: string }
  | { readonly type: "webhook.stale"; readonly kind: string; readonly key: string }
  | { readonly type: "webhook.failed"; readonly kind: string; readonly key: string; readonly error: unknown }
  | { readonly type: "webhook.unfinished"; readonly kind: string; readonly key: string }
  | { readonly type: "webhook.superseded"; readonly kind: string; readonly key: string };

/**
 * Everything that `onEvent` and the diagnostics channel `doorcode` see. Nothing that the kit puts into it is a secret, a
 * code or a full number; an `error` that your own callback threw is passed on as it is.
 */
export type DoorcodeEvent =
  | LoginEvent
  | WebhookReport
  | { readonly type: "store.failed"; readonly error: unknown }
  | { readonly type: "inbox.failed"; readonly error: unknown };

/** Tells the world what happened. Never throws and never waits. */
export type Publish = (event: DoorcodeEvent) => void;

const channel = diagnostics_channel.channel("doorcode");

/**
 * Publishes to the diagnostics channel `doorcode` and to the app's `onEvent`, whose own failure is a process warning. An
 * app without `onEvent` is warned once of each kind of failure that it would not hear of.
 */
export function createPublish(onEvent: ((event: DoorcodeEvent) => unknown) | undefined): Publish {
  const tell = onEvent ?? warnOfFailures();
  return (event) => {
    if (channel.hasSubscribers) channel.publish(event);
    try {
      const told = tell(event);
      if (told instanceof Promise) told.catch((error: unknown) => warnOfListener(event, error));
    } catch (error) {
      warnOfListener(event, error);
    }
  };
}

function warnOfListener(event: DoorcodeEvent, error: unknown): void {
  process.emitWarning(`onEvent failed on ${event.type}: ${String(error)}`, "DoorcodeWarning");
}

/** The kit's own errors hold nothing secret; the words of others may, and are shown to nobody who did not ask. */
function nameOf(error: unknown): string {
  const { name, code } = describeError(error);
  return code === undefined ? `${name}.` : `${name} ${code}.`;
}

function warnOfFailures(): (event: DoorcodeEvent) => void {
  const warned = new Set<string>();
  return (event) => {
    if (!("error" in event) || warned.has(event.type)) return;
    warned.add(event.type);
    const reason = isDoorcodeError(event.error) ? event.error.message : nameOf(event.error);
    process.emitWarning(
      `${event.type}: ${reason} Pass onEvent to createDoorcode to see every error.`,
      "DoorcodeWarning",
    );
  };
}
